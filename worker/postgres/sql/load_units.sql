-- The taken units of ranges of pools, by their numbers. $1 first pool, $2 its first unit, $3 last pool; $4 how many units
-- of a range at most. A range is read at once: most pools have none, and a look-up for each would cost the most.
select r.ord::integer, u.pool, u.units
  from (select *
          from unnest($1::bigint[], $2::integer[], $3::bigint[]) with ordinality as r (first, unit, last, ord)
         order by ord) as r
 cross join lateral (
     select pool, array_agg(unit) as units
       from (select pool, unit
               from usher.allocation
              where (pool, unit) >= (r.first, r.unit) and pool <= r.last
              order by pool, unit
              limit $4::bigint) as a
      group by pool
      order by pool offset 0) as u
 order by r.ord
