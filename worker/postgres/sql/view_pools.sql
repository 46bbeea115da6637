-- The pools of a resource; of rooms those of nights from $2 to $3, excluded. $1 resource, $4 rows at most.
select *
  from usher.availability
 where resource = $1
   and (night is null or night >= $2::text::date and night < $3::text::date)
 order by night nulls first, pool
 limit $4::bigint
