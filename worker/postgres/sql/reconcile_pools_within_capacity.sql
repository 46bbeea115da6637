-- No pool has more units taken than its capacity.
select format('resource %s: of pool %s as many as %s are taken, whose capacity is %s',
              to_json(r.id), to_json(p.name), a.taken, p.capacity)
  from (select pool, count(*) as taken from usher.allocation group by pool) as a
  join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
 where a.taken > p.capacity
