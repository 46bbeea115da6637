-- Every allocation belongs to a booking of the pool's resource that is in a state with units.
select format('resource %s: unit %s of pool %s is allocated to booking %s, which is %s',
              coalesce(to_json(r.id)::text, 'unknown'), a.unit,
              coalesce(to_json(p.name)::text, 'unknown'),
              coalesce(to_json(b.request_id)::text, a.booking::text),
              case when b.no is null then 'unknown'
                   when b.resource_no is distinct from p.resource_no
                   then 'of another resource' else b.state end)
  from usher.allocation as a
  left join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
  left join usher.booking as b on b.no = a.booking
 where b.no is null or b.state not in ('held', 'confirmed', 'blocked')
    or b.resource_no is distinct from p.resource_no
