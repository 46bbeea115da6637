-- The bookings of a resource that customers have, in the order of the hashes of their request ids. $1 resource, $2 the
-- hash behind which to look, $3 how many request ids to look at, $4 bytes: it ends with the booking that passes them.
-- `found` is as in load_resources.sql.
select *
  from (select b.*, count(*) over ()::integer as found, sum(b.size) over (order by b.id_hash) - b.size as before
          from (select d.id_hash, b.*, octet_length(b.lines) + octet_length(coalesce(b.meta, '')) + 200 as size
                  from (select (partition::bigint << 48 | seq) as no, id_hash
                          from usher.decision
                         where resource_no = $1 and first and id_hash > $2
                         order by id_hash limit $3::bigint) as d
                 cross join lateral (
                     select * from usher.booking where no = d.no offset 0) as b
                 where b.state in ('held', 'confirmed')) as b) as b
 where before < $4::bigint
 order by id_hash
