-- The taken units of a pool behind one of them. $1 pool, $2 that unit, $3 how many at most.
select array_agg(unit)
  from (select unit from usher.allocation where pool = $1 and unit > $2 order by unit limit $3) as a
