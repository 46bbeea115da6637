-- Has a halted partition try again. $1 partition.
select usher.resume($1)
