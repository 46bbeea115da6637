-- The first decisions of request ids. $1 resources, $2 hashes of the ids, $3 partition.
-- Here and in the other loads, `lateral … offset 0` makes the planner go from the keys to the tables, however small
-- the tables were when it planned.
select d.*
  from unnest($1::text[], $2::uuid[]) as k (resource, hash)
 cross join lateral (
     select no from usher.resource where partition = $3 and id = k.resource offset 0) as r
 cross join lateral (
     select * from usher.decision where resource_no = r.no and id_hash = k.hash and first offset 0) as d
