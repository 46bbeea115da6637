-- The total of a booking is the price of its units; a block costs nothing.
select format('resource %s: the total of booking %s is %s, but its units cost %s',
              to_json(r.id), to_json(b.request_id), b.total, l.price)
  from usher.booking as b
 cross join lateral (
     select coalesce(sum((line ->> 2)::bigint * usher.line_quantity(line)), 0) as price
       from json_array_elements(b.lines::json) as e (line)) as l
  left join usher.resource as r on r.no = b.resource_no
 where b.state in ('held', 'confirmed', 'blocked')
   and b.total <> case when b.state = 'blocked' then 0 else l.price end
