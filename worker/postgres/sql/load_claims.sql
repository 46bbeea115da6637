-- The bookings that hold or block units of the resources that load_resources.sql selects: all others that have units
-- have bought them. $4 number behind which to begin, $5 how many at most, $6 bytes: it ends with the booking that
-- passes them. They come in the order of their index, and begin within it: by number alone the planner would take the
-- primary key, and read all bookings of the partition. Only of resources with numbered units: what is counted is in the rows of the pools.
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
  from (select b.*, count(*) over ()::integer as found,
               sum(octet_length(b.lines)) over (order by b.ord, b.no) - octet_length(b.lines) as before
          from (select w.ord, b.*
                  from wanted as w
                 cross join lateral (
                     select from usher.pool where resource_no = w.no and kind in ('seats', 'room') limit 1) as p
                 cross join lateral (
                     select resource_no, no, state, lines
                       from usher.booking
                      where (resource_no, no) > (w.no, $4) and resource_no = w.no and state in ('held', 'blocked')
                      order by resource_no, no offset 0) as b
                 limit $5::bigint) as b) as b
 where before < $6::bigint
 order by ord, no
