-- $1 number, $2 partition, $3 id, $4 ended at, $5 decisions, $6 bookings, $7 dead letters.
select usher.prune_end($1, $2, $3, $4, $5, $6, $7)
