-- A booking in a state with units has exactly the seats and rooms of its lines. Pools that are counted have no numbers.
with lines as (
    select b.no as booking, p.no as pool, u.unit
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
     cross join lateral usher.line_units(l.line) as u (unit)
      left join usher.pool as p
        on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
     where b.state in ('held', 'confirmed', 'blocked') and p.kind is distinct from 'section'
       and p.kind is distinct from 'product')
select format('resource %s: booking %s has unit %s of pool %s in its %s',
              to_json(r.id), to_json(b.request_id), coalesce(a.unit::text, l.unit::text, 'without a number'),
              coalesce(to_json(p.name)::text, 'unknown'),
              case when a.booking is null then 'lines, but not allocated'
                   else 'allocations, but not in its lines' end)
  from lines as l
  full join usher.allocation as a
    on a.pool = l.pool and a.unit = l.unit and a.booking = l.booking
  join usher.booking as b on b.no = coalesce(a.booking, l.booking)
  left join usher.resource as r on r.no = b.resource_no
  left join usher.pool as p on p.no = coalesce(a.pool, l.pool)
 where (a.booking is null or l.booking is null)
   and b.state in ('held', 'confirmed', 'blocked')
