-- The layout of the hall of a resource. $1 resource, $2 rows at most.
select layout from usher.hall where resource = $1 limit $2::bigint
