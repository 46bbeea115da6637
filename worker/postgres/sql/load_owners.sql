-- The bookings of a resource that customers have, in the order of the hashes of their request ids. $1 resource, $2 the
-- hash behind which to look, $3 how many request ids to look at.
select b.*
  from (select (partition::bigint << 48 | seq) as no, id_hash
          from usher.decision
         where resource_no = $1 and first and id_hash > $2
         order by id_hash limit $3) as d
 cross join lateral (
     select * from usher.booking where no = d.no offset 0) as b
 where b.state in ('held', 'confirmed')
 order by d.id_hash
