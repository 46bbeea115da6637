-- No pool has more units taken than its capacity.
select format('resource %s: %s units of pool %s are taken, whose capacity is %s',
              to_json(r.id), a.taken, to_json(p.name), p.capacity)
  from (select pool, count(*) as taken from usher.allocation group by pool) as a
  join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
 where a.taken > p.capacity
