-- The pools of the resources that load_resources.sql selects, with the numbered units that are taken of them. $4 index
-- behind which to begin, $5 how many pools at most, $6 how many units: it ends with the pool that passes them, as if
-- all were taken, and gives no more than that of a pool. The others are read by load_units.sql. Counted pools have none.
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
       p.properties, p.held, p.sold, p.blocked,
       case when p.numbers > 0 then (
           select array_agg(a.unit)
             from (select unit from usher.allocation where pool = p.no order by unit limit $6::bigint) as a) end as units
  from (select p.*, sum(p.numbers) over (order by p.ord, p.index rows unbounded preceding) - p.numbers as before
          from (select w.ord, p.*,
                       case when p.kind in ('seats', 'room') then least(p.capacity, $6::bigint)::integer else 0 end as numbers
                  from wanted as w
                 cross join lateral (
                     select * from usher.pool where resource_no = w.no and index > $4 order by index offset 0) as p
                 limit $5::bigint) as p) as p
 where p.before < $6::bigint
 order by p.ord, p.index
