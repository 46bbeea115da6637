-- Bookings by the request ids that made them. $1 resources, $2 hashes of the ids, $3 partition, $4 bytes: it ends with
-- the one that passes them. A booking's number is made of the seq of the decision that made it. `ord` and `found` are
-- as in load_resources.sql.
select *
  from (select b.*, k.ord::integer, count(*) over ()::integer as found,
               sum(octet_length(b.lines) + octet_length(coalesce(b.meta, ''))) over (order by k.ord)
                   - octet_length(b.lines) - octet_length(coalesce(b.meta, '')) as before
          from unnest($1::text[], $2::uuid[]) with ordinality as k (resource, hash, ord)
         cross join lateral (
             select no from usher.resource where partition = $3 and id = k.resource offset 0) as r
         cross join lateral (
             select seq from usher.decision where resource_no = r.no and id_hash = k.hash and first offset 0) as d
         cross join lateral (
             select * from usher.booking where no = $3::bigint << 48 | d.seq offset 0) as b) as b
 where before < $4::bigint
 order by ord
