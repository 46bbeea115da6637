-- The total of a booking is the price of its units; a block costs nothing.
with lines as (
    select b.no as booking, p.no as pool, u.unit::integer as unit, (l.line ->> 2)::bigint as price
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
     cross join lateral json_array_elements_text(l.line -> 3) as u (unit)
      left join usher.pool as p
        on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
     where b.state in ('held', 'confirmed', 'blocked'))
select format('resource %s: the total of booking %s is %s, but its units cost %s',
              to_json(r.id), to_json(b.request_id), b.total, coalesce(l.price, 0))
  from usher.booking as b
  left join (select booking, sum(price) as price from lines as l group by booking) as l
    on l.booking = b.no
  left join usher.resource as r on r.no = b.resource_no
 where b.state in ('held', 'confirmed', 'blocked')
   and b.total <> case when b.state = 'blocked' then 0 else coalesce(l.price, 0) end
