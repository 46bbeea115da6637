-- Resources. $1 ids or $2 numbers, $3 partition, $4 bytes of charts. It ends with the resource whose chart passes them.
-- `wanted` is the same in load_resources.sql, load_pools.sql, load_claims.sql and load_waiting.sql, which are sent
-- together. Rows come in the order in which they were asked for, here and in the other loads: what was not read for
-- its size is at the end, and `found` counts it, too. `ord` is the place in the list that was asked for.
with wanted as (
    select r.no, k.ord
      from unnest($1::text[]) with ordinality as k (id, ord)
     cross join lateral (
         select no from usher.resource where partition = $3 and id = k.id offset 0) as r
    union all
    select r.no, k.ord
      from unnest($2::bigint[]) with ordinality as k (no, ord)
     cross join lateral (
         select no, partition from usher.resource where no = k.no offset 0) as r
     where r.partition = $3)
select *
  from (select r.*, w.ord::integer, count(*) over ()::integer as found,
               sum(coalesce(octet_length(r.content), 0)) over (order by w.ord)
                   - coalesce(octet_length(r.content), 0) as before
          from wanted as w
         cross join lateral (
             select r.*, (select content from usher.chart as c where c.partition = $3 and c.hash = r.chart) as content
               from usher.resource as r
              where r.no = w.no offset 0) as r) as r
 where before < $4::bigint
 order by ord
