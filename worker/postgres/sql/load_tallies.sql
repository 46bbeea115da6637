-- The lines of what customers have in resources: what limits count. $1 numbers of resources, $2 hash of the request id
-- behind which to begin, $3 how many request ids to look at. The last row, without a customer, says how many were
-- looked at, and the resource and hash of the last one. The lines are taken apart by who reads them: here it would
-- cost ten times as much.
with page as materialized (
    select d.*, k.ord
      from unnest($1::bigint[]) with ordinality as k (no, ord)
     cross join lateral (
         select resource_no, id_hash, booking_no, (partition::bigint << 48 | seq) as no
           from usher.decision
          where resource_no = k.no and first and id_hash > $2
          order by id_hash offset 0) as d
     limit $3)
select d.resource_no, b.customer, b.no, b.held, b.lines, null::integer as looked_at, null::uuid as id_hash
  from page as d
 cross join lateral (
     select no, customer, state = 'held' as held, lines
       from usher.booking
      where no = d.no and state in ('held', 'confirmed') offset 0) as b
 where d.booking_no is not null
union all
(select d.resource_no, null, null, null, null, (select count(*) from page)::integer, d.id_hash
   from page as d
  order by d.ord desc, d.id_hash desc
  limit 1)
