-- The seats of a resource that are taken. $1 resource, $2 rows at most.
select section, unit, state from usher.taken_seats where resource = $1 limit $2::bigint
