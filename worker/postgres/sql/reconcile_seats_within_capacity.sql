-- Every seat lies inside its section. Other units may have any number.
select format('resource %s: unit %s is allocated in pool %s, whose capacity is %s',
              to_json(r.id), a.unit, to_json(p.name), p.capacity)
  from usher.allocation as a
  join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
 where p.kind = 'seats' and a.unit >= p.capacity
