-- The first decisions of request ids. $1 resources, $2 hashes of the ids, $3 partition, $4 bytes: it ends with the one
-- whose body passes them. `ord` and `found` are as in load_resources.sql.
-- Here and in the other loads, `lateral … offset 0` makes the planner go from the keys to the tables, however small
-- the tables were when it planned.
select *
  from (select d.*, k.ord::integer, count(*) over ()::integer as found,
               sum(octet_length(d.body)) over (order by k.ord) - octet_length(d.body) as before
          from unnest($1::text[], $2::uuid[]) with ordinality as k (resource, hash, ord)
         cross join lateral (
             select no from usher.resource where partition = $3 and id = k.resource offset 0) as r
         cross join lateral (
             select * from usher.decision where resource_no = r.no and id_hash = k.hash and first offset 0) as d) as d
 where before < $4::bigint
 order by ord
