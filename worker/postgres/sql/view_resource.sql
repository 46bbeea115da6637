-- All of one resource, with its pools and waiting list as JSON. $1 resource, $2 rows at most.
select c.*,
       (select json_agg(a order by a.pool, a.night) from usher.availability as a where a.resource = $1) as pools,
       (select json_agg(w order by w.position) from usher.waiting as w where w.resource = $1) as waiting_list
  from usher.catalogue as c
 where resource = $1
 limit $2::bigint
