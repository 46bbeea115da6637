-- name: bookings
-- Bookings by the request ids that made them. $1 resources, $2 hashes of the ids, $3 partition, $4 bytes: it ends with
-- the one that passes them. A booking's number is made of the seq of the decision that made it. `ord` and `found` are
-- as in load.sql: resources.
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

-- name: carts
-- The bookings of carts, whatever their state. $1 resources, $2 customers, $3 carts, $4 partition, $5 bytes: it ends
-- with the cart that passes them, for a cart comes as a whole. `ord` and `found` are as in load.sql: resources.
select *
  from (select b.*, count(*) over ()::integer as found,
               sum(b.size) over (order by b.ord) - sum(b.size) over (partition by b.ord) as before
          from (select k.ord::integer, b.*, octet_length(b.lines) + octet_length(coalesce(b.meta, '')) + 200 as size
                  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (resource, customer, cart, ord)
                 cross join lateral (
                     select no from usher.resource where partition = $4 and id = k.resource offset 0) as r
                 cross join lateral (
                     select * from usher.booking
                      where resource_no = r.no and customer = k.customer and cart = k.cart offset 0) as b) as b) as b
 where before < $5::bigint
 order by ord, no

-- name: changed_revs
-- Resources whose last change is one of the next $3 decisions after seq $2.
-- Later changes of a resource are found with them: each resource comes once, at its rev.
select r.no, r.rev
  from usher.decision as d
 cross join lateral (
     select no, rev from usher.resource where no = d.resource_no offset 0) as r
 where d.partition = $1
   and d.seq > $2
   and d.seq <= $2 + $3
   and r.rev = d.seq
 order by r.rev

-- name: charts
-- Charts by their hashes. $1 hashes, $2 partition, $3 bytes: it ends with the one that passes them. `ord` and `found`
-- are as in load.sql: resources.
select *
  from (select c.*, k.ord::integer, count(*) over ()::integer as found,
               sum(octet_length(c.content)) over (order by k.ord) - octet_length(c.content) as before
          from unnest($1::text[]) with ordinality as k (hash, ord)
         cross join lateral (
             select hash, content from usher.chart where partition = $2 and hash = k.hash offset 0) as c) as c
 where before < $3::bigint
 order by ord

-- name: claims
-- The bookings that hold or block units of the resources that load.sql: resources selects: all others that have units
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

-- name: dead_letters
-- A page of dead letters, as load.sql: decisions, each behind what its decision says of it.
select d.request_id, d.detail, d.decided_at, d.*
  from (select *,
               sum(coalesce(octet_length(value), 0)) over (order by seq) - coalesce(octet_length(value), 0) as before
          from (select l.*, c.request_id, ('{' || c.body || '}')::json ->> 'detail' as detail, c.decided_at
                  from (select * from usher.dead_letter where partition = $1 and seq > $2 order by seq limit $3) as l
                 cross join lateral (
                     select * from usher.decision where partition = l.partition and seq = l.seq offset 0) as c) as d) as d
 where before < 8388608
 order by seq

-- name: decisions
-- A page of decisions. $1 partition, $2 the seq before it, $3 how many at most. It ends with the decision that passes
-- 8 MiB, about.
select *
  from (select *,
               sum(octet_length(body) + 200) over (order by seq) - octet_length(body) as before
          from (select * from usher.decision where partition = $1 and seq > $2 order by seq limit $3) as d) as d
 where before < 8388608
 order by seq

-- name: due
-- Holds, blocks and waiting parties that expire, in that order. $1 partition, $2 time and $3 number of the last one
-- known, $4 until when, $5 how many at most, $6 bytes: it ends with the one that passes them. `found` is as in
-- load.sql: resources.
select *
  from (select b.*, count(*) over ()::integer as found, sum(b.size) over (order by b.expires_at, b.no) - b.size as before
          from (select *, octet_length(lines) + octet_length(coalesce(wants, ''))
                          + octet_length(coalesce(meta, '')) + 200 as size
                  from usher.booking
                 where partition = $1 and state in ('held', 'blocked', 'waiting') and expires_at is not null
                   and (expires_at, no) > (coalesce($2::timestamptz, '-infinity'), $3)
                   and expires_at <= $4
                 order by expires_at, no
                 limit $5::bigint) as b) as b
 where before < $6::bigint
 order by expires_at, no

-- name: epoch
-- The stored epoch of a partition (0: none) and the server's clock in milliseconds. $1 partition.
select coalesce((select epoch from usher.partition_state where partition = $1), 0),
       (extract(epoch from clock_timestamp()) * 1000)::bigint

-- name: firsts
-- The first decisions of request ids. $1 resources, $2 hashes of the ids, $3 partition, $4 bytes: it ends with the one
-- whose body passes them. `ord` and `found` are as in load.sql: resources.
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

-- name: owners
-- The bookings of a resource that customers have, in the order of the hashes of their request ids. $1 resource, $2 the
-- hash behind which to look, $3 how many request ids to look at, $4 bytes: it ends with the booking that passes them.
-- `found` is as in load.sql: resources.
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

-- name: owners_end
-- The last request id's hash that load.sql: owners looks at; nothing where there are none behind it. Its parameters.
select id_hash
  from usher.decision
 where resource_no = $1 and first and id_hash > $2
 order by id_hash offset $3::bigint - 1 limit 1

-- name: pools
-- The pools of the resources that load.sql: resources selects. $4 index behind which to begin, $5 how many at most. The
-- units that are taken of them are read by load.sql: units. They come in the order of the index within a resource: what
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
select p.no, p.resource_no, p.index, p.kind, p.name, p.night, p.title, p.capacity, p.price, p.overbook, p.over,
       p.rates, p.properties, p.restrictions, p.spares, p.held, p.sold, p.blocked
  from (select * from wanted order by ord) as w
 cross join lateral (
     select * from usher.pool where resource_no = w.no and index > $4 order by index offset 0) as p
 order by w.ord
 limit $5::bigint

-- name: resource_revs
-- All resources of a partition after number $2, by number; numbers begin with the partition.
select no, rev
  from usher.resource
 where partition = $1
   and no > $2
   and no < ($1::bigint + 1) << 48
 order by no
 limit $3

-- name: resources
-- Resources. $1 ids or $2 numbers, $3 partition, $4 bytes of charts. It ends with the resource whose chart passes them.
-- `wanted` is the same in load.sql: resources, load.sql: pools, load.sql: claims and load.sql: waiting, which are sent
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

-- name: tallies
-- The lines of what customers have in resources: what limits count. $1 numbers of resources, $2 hash of the request id
-- behind which to begin, $3 how many request ids to look at. The last row, without a customer, says how many were
-- looked at, and the resource and hash of the last one. The lines are taken apart by who reads them: here it would
-- cost ten times as much.
with page as materialized (
    select d.*, k.ord
      from unnest($1::bigint[]) with ordinality as k (no, ord)
     cross join lateral (
         select resource_no, id_hash, booking_no, (partition::bigint << 48 | seq) as no
           from usher.decision
          where resource_no = k.no and first and id_hash > $2
          order by id_hash offset 0) as d
     limit $3)
select d.resource_no, b.customer, b.no, b.held, b.request_id, b.lines, null::integer as looked_at, null::uuid as id_hash
  from page as d
 cross join lateral (
     select no, customer, state = 'held' as held, case when state = 'held' then request_id end as request_id, lines
       from usher.booking
      where no = d.no and state in ('held', 'confirmed') offset 0) as b
 where d.booking_no is not null
union all
(select d.resource_no, null, null, null, null, null, (select count(*) from page)::integer, d.id_hash
   from page as d
  order by d.ord desc, d.id_hash desc
  limit 1)

-- name: unfinished
-- The numbers of resources with work that outlasts a batch. $1 partition, $2 number behind which to begin, $3 how many
-- at most.
select no
  from usher.resource
 where partition = $1 and no > $2 and (unserved or cancelling is not null)
 order by no
 limit $3

-- name: units
-- The taken units of ranges of pools, by their numbers. $1 first pool, $2 its first unit, $3 last pool; $4 how many units
-- of a range at most. A range is read at once: most pools have none, and a look-up for each would cost the most.
select r.ord::integer, u.pool, u.units
  from (select *
          from unnest($1::bigint[], $2::integer[], $3::bigint[]) with ordinality as r (first, unit, last, ord)
         order by ord) as r
 cross join lateral (
     select pool, array_agg(unit) as units
       from (select pool, unit
               from usher.allocation
              where (pool, unit) >= (r.first, r.unit) and pool <= r.last
              order by pool, unit
              limit $4::bigint) as a
      group by pool
      order by pool offset 0) as u
 order by r.ord

-- name: waiting
-- The waiting lists of the resources that load.sql: resources selects. $4 number behind which to begin, $5 how many
-- parties at most, $6 bytes: it ends with the party that passes them.
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
  from (select b.*, count(*) over ()::integer as found, sum(b.size) over (order by b.ord, b.no) - b.size as before
          from (select w.ord, b.*,
                       octet_length(coalesce(b.wants, '')) + octet_length(coalesce(b.meta, '')) + 200 as size
                  from wanted as w
                 cross join lateral (
                     select * from usher.booking
                      where resource_no = w.no and no > $4 and state = 'waiting'
                      order by resource_no, no offset 0) as b
                 limit $5::bigint) as b) as b
 where before < $6::bigint
 order by ord, no
