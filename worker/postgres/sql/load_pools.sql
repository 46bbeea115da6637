-- The pools of the resources that load_resources.sql selects. $4 index behind which to begin, $5 how many at most. The
-- units that are taken of them are read by load_units.sql. They come in the order of the index within a resource: what
-- is not sorted comes at once.
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
select p.no, p.resource_no, p.index, p.kind, p.name, p.night, p.title, p.capacity, p.price, p.overbook, p.rates,
       p.properties, p.held, p.sold, p.blocked
  from (select * from wanted order by ord) as w
 cross join lateral (
     select * from usher.pool where resource_no = w.no and index > $4 order by index offset 0) as p
 order by w.ord
 limit $5::bigint
