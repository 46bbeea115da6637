-- How many units each booking has in each pool of resources, by customer: what limits count. $1 numbers of resources.
select p.resource_no, b.customer, b.no, b.held, p.index, a.units
  from unnest($1::bigint[]) as k (no)
 cross join lateral (
     select no, resource_no, index from usher.pool where resource_no = k.no offset 0) as p
 cross join lateral (
     select booking, count(*)::integer as units
       from usher.allocation
      where pool = p.no
      group by booking offset 0) as a
 cross join lateral (
     select no, customer, state = 'held' as held
       from usher.booking
      where no = a.booking and state in ('held', 'confirmed') offset 0) as b
 order by p.resource_no, b.customer, b.no, p.index
