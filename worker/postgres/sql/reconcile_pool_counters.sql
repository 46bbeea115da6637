-- The counters of a pool are the units of its bookings' lines, if it is counted; else they are 0.
with lines as (
    select p.no as pool, b.state, sum(usher.line_quantity(l.line)) as units
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
      join usher.pool as p on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
     where b.state in ('held', 'confirmed', 'blocked') and p.kind in ('section', 'product')
     group by p.no, b.state),
counted as (
    select pool, sum(units) filter (where state = 'held') as held,
           sum(units) filter (where state = 'confirmed') as sold,
           sum(units) filter (where state = 'blocked') as blocked
      from lines group by pool)
select format('resource %s: pool %s counts %s held, %s sold and %s blocked, but its bookings have %s, %s and %s',
              to_json(r.id), to_json(p.name), p.held, p.sold, p.blocked,
              coalesce(c.held, 0), coalesce(c.sold, 0), coalesce(c.blocked, 0))
  from usher.pool as p
  left join counted as c on c.pool = p.no
  left join usher.resource as r on r.no = p.resource_no
 where (p.held, p.sold, p.blocked)
       is distinct from (coalesce(c.held, 0), coalesce(c.sold, 0), coalesce(c.blocked, 0))
