-- The pools of a resource as a probe lists them, in the order in which they were defined: sections, products, then rooms,
-- night by night from $2 to $3, excluded. $1 resource, $4 rows at most.
select *
  from (select *, min(place) over (partition by pool) as first_place
          from usher.availability
         where resource = $1
           and (night is null or night >= $2::text::date and night < $3::text::date)) as a
 order by night nulls first, kind = 'product', first_place
 limit $4::bigint
