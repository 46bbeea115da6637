-- Bookings by the request ids that made them. $1 resources, $2 hashes of the ids, $3 partition.
-- A booking's number is made of the seq of the decision that made it.
select b.*
  from unnest($1::text[], $2::uuid[]) as k (resource, hash)
 cross join lateral (
     select no from usher.resource where partition = $3 and id = k.resource offset 0) as r
 cross join lateral (
     select seq from usher.decision where resource_no = r.no and id_hash = k.hash and first offset 0) as d
 cross join lateral (
     select * from usher.booking where no = $3::bigint << 48 | d.seq offset 0) as b
