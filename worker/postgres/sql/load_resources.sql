-- Resources. $1 ids, $2 numbers, $3 partition, $4 whether also all those with work that outlasts a batch.
-- `wanted` is the same in load_resources.sql, load_pools.sql, load_units.sql and load_waiting.sql, which are sent
-- together. The last column is the content of the chart.
with wanted as (
    select r.no
      from unnest($1::text[]) as k (id)
     cross join lateral (
         select no from usher.resource where partition = $3 and id = k.id offset 0) as r
    union
    select r.no
      from unnest($2::bigint[]) as k (no)
     cross join lateral (
         select no, partition from usher.resource where no = k.no offset 0) as r
     where r.partition = $3
    union
    select no
      from usher.resource
     where $4 and partition = $3 and (unserved or cancelling is not null))
select r.*
  from wanted as w
 cross join lateral (
     select r.*, (select content from usher.chart as c where c.partition = $3 and c.hash = r.chart) as content
       from usher.resource as r
      where r.no = w.no offset 0) as r
 order by r.no
