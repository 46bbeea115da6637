-- The pools of a resource; of rooms those of nights from $2 (null: today at the place) to $3, excluded (null: a month
-- later). $1 resource, $4 rows at most.
select a.*
  from usher.availability as a
  join usher.catalogue as c on c.resource = a.resource
 cross join lateral (
     select coalesce($2::text::date, (now() at time zone coalesce(c.timezone, 'UTC'))::date) as first offset 0) as f
 where a.resource = $1
   and (a.night is null or a.night >= f.first and a.night < coalesce($3::text::date, f.first + 31))
 order by a.night nulls first, a.pool
 limit $4::bigint
