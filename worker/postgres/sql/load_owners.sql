-- The bookings that own units of a pool, in the order of their first units. $1 pool, $2 first unit, $3 how many units
-- to look at. The last column is the unit to continue from; 2147483647: there are no more.
with looked_at as materialized (
    select unit, booking from usher.allocation where pool = $1 and unit >= $2 order by unit limit $3)
select b.*, e.unit
  from (select booking, min(unit) as unit from looked_at group by booking) as f
 cross join lateral (
     select * from usher.booking where no = f.booking offset 0) as b
 cross join (
     select case when count(*) = $3 then max(unit) + 1 else 2147483647 end as unit from looked_at) as e
 order by f.unit
