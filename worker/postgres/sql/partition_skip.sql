-- Passes over requests. $1 partition, $2 from where it stands (null: never started), $3 to, $4 records, $5 why.
select usher.skip($1, $2, $3, $4, $5)
