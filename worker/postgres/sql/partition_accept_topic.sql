-- Takes topics for new ones. $1 partition, $2 which, $3 next offset (null: never started) and $4 next seq when somebody looked,
-- $5 seq behind which answers are published again (null: none is), $6 why.
select usher.accept_topic($1, $2, $3, $4, $5, $6)
