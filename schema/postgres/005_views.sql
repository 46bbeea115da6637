-- What people look at: what is sold and how well, who sits where, which holds are open, what is refused, who owns which
-- partition. No table that batches write to gets an index for it: a door list goes resource → pool → allocation → booking,
-- other questions about a resource go by its first decisions, as history does.

set local role usher_owner;

-- ---- what views are made of: not for readers -----------------------------------------------------
-- Views show what lives in this database. A partition that moved away leaves its rows until `usher-worker partition forget-moved`,
-- and one that arrives has them before it lives here: several databases, looked at together, have each row once.
--
-- Where a row lives is asked of a hash of all partitions that do, made once for a statement: `is true` keeps it from becoming
-- a join, by which the planner would take other ways.

-- The partitions that live here; by the index where tables must not be read as a whole.
create view usher.home as
select partition
  from usher.partition_state
 where partition >= 0 and shard is not distinct from (select name from usher.shard);

-- Their resources.
create view usher.resource_here as
select *
  from usher.resource
 where (partition in (select partition from usher.home)) is true;

-- When each booking was changed, by its number; when it was made, it says itself.
create view usher.booking_change as
select d.booking_no as booking, d.decided_at as changed_at
  from usher.decision as d
 where d.booking_no is not null and d.booking_no <> (d.partition::bigint << 48 | d.seq)
union all
select c.booking, d.decided_at
  from usher.cart_decision as c
  join usher.decision as d on d.partition = c.partition and d.seq = c.seq;

-- The lines of bookings.
create view usher.booking_line as
select b.no as booking,
       l.place,
       (l.line ->> 1)::integer as pool_index,
       (l.line ->> 2)::bigint as price,
       case when json_typeof(l.line -> 3) = 'array' then json_array_length(l.line -> 3)
            else (l.line ->> 3)::bigint end as quantity,
       case when json_typeof(l.line -> 3) = 'array' then l.line -> 3 else '[]'::json end as units,
       l.line ->> 5 as rate
  from usher.booking as b
 cross join lateral json_array_elements(b.lines::json) with ordinality as l (line, place);

-- What of each pool is taken.
create view usher.pool_units as
select p.no, p.resource_no, p.kind, p.name, p.night, p.capacity, p.overbook, p.over, p.price, p.rates, t.held, t.sold, t.blocked,
       p.index, p.restrictions
  from usher.pool as p
 cross join lateral (
     select p.held::bigint as held, p.sold::bigint as sold, p.blocked::bigint as blocked
      where p.kind in ('section', 'product')
     union all
     select count(*) filter (where b.state = 'held'),
            count(*) filter (where b.state = 'confirmed'),
            count(*) filter (where b.state = 'blocked')
       from usher.allocation as a
       join usher.booking as b on b.no = a.booking
      where a.pool = p.no
     having p.kind not in ('section', 'product')) as t
 where p.capacity > 0;

-- ---- bookings ------------------------------------------------------------------------------------
-- What became of each booking. By customer, by number (usher.booking_number) and by resource it goes by an index: from
-- a resource by the decisions that made its bookings. What is said twice in a join is said for either way round.
create view usher.bookings as
select r.id as resource,
       b.request_id as booking,
       b.customer,
       b.state,
       (select sum(l.quantity) from usher.booking_line as l where l.booking = b.no)::bigint as units,
       b.total,
       r.currency,
       b.created_at,
       b.sold_at,
       b.expires_at as ends_at,
       b.cart,
       b.client,
       b.payment,
       b.note,
       b.meta::json as meta,
       (select json_agg(json_strip_nulls(json_build_object(
                   case p.kind when 'room' then 'room' when 'product' then 'product' else 'section' end, p.name,
                   'night', p.night,
                   'seats', named.seats, 'places', named.places,
                   'tokens', case when p.kind = 'room' then l.units end,
                   'quantity', l.quantity, 'price', l.price, 'rate', l.rate)) order by l.place)
          from usher.booking_line as l
         cross join lateral (
             select * from usher.pool where resource_no = b.resource_no and index = l.pool_index offset 0) as p
          left join lateral (
             select json_agg(s.seat order by u.place) as seats,
                    case when bool_or(s.has_place) then json_agg(s.place order by u.place) end as places
               from (select n::integer, place
                       from json_array_elements_text(l.units) with ordinality as u (n, place)) as u
               left join lateral (
                   select coalesce(x.names[u.n - x.start + 1], x.label || '-' || (x.first + u.n - x.start)) as seat,
                          coalesce(x.places[u.n - x.start + 1], x.names[u.n - x.start + 1],
                                   x.label || '-' || (x.first + u.n - x.start)) as place,
                          x.places is not null as has_place
                     from usher.seat_row as x
                    where x.partition = r.partition and x.chart = r.chart and x.section = p.name and x.start <= u.n
                    order by x.start desc limit 1) as s on true) as named on p.kind = 'seats'
         where l.booking = b.no) as items,
       b.op,
       b.partition,
       b.no as booking_number
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
 where b.state <> 'held' or b.state = 'held' and b.expires_at is not null;

create view usher.open_holds as
select resource, customer, booking, units, total, currency, created_at as held_since, ends_at, cart, client, items,
       booking_number
  from usher.bookings
 where state = 'held';

create view usher.blocks as
select resource, booking, note, units, created_at as blocked_since, ends_at as returns_at, client, items, booking_number
  from usher.bookings
 where state = 'blocked';

-- The waiting lists in their order: who is next, and what they want.
create view usher.waiting as
select r.id as resource,
       row_number() over (partition by r.id order by b.no) as position,
       b.customer,
       b.request_id as booking,
       b.wants::json -> 'items' as items,
       b.created_at as since,
       b.expires_at as until,
       b.cart,
       b.client,
       b.wants::json as wants
  from usher.booking as b
  join usher.resource_here as r on r.no = b.resource_no
 where b.state = 'waiting';

-- ---- carts ---------------------------------------------------------------------------------------
-- What a cart is made of, so that it can be put together of several databases.
create view usher.cart_booking as
select b.customer, b.cart, b.resource, b.booking, b.state, b.op, b.units, b.total, b.currency, b.created_at, b.sold_at, b.ends_at,
       b.items, b.booking_number,
       greatest(b.created_at, (select max(d.changed_at) from usher.booking_change as d
                                where d.booking = b.booking_number)) as changed_at
  from usher.bookings as b
 where b.cart is not null and b.customer is not null;

-- The bookings of a customer under one name, whichever resources and partitions they are in.
--
-- A booking is left out of a sale if it was held when another one of its cart was sold, or had expired just before, and was
-- never sold: of all that were sold before it ended (and a moment), the last was sold after it was made. Bookings that were
-- released before do not belong to the sale, and one that was booked at once is a sale of its own.
--
-- The total stops at what JavaScript counts exactly. The program has the same for bookings of several databases (view.sql:
-- carts_of), and a test compares them.
create view usher.cart as
select c.customer,
       c.cart,
       case when bool_or(c.state in ('held', 'released', 'expired') and c.sold_at is null and c.last_sold_at >= c.created_at)
                 then 'mixed'
            when bool_or(c.state = 'held') then 'held'
            when bool_or(c.state = 'waiting') then 'waiting'
            when bool_or(c.state = 'confirmed') then 'confirmed'
            when bool_and(c.state = 'expired') then 'expired'
            else 'cancelled' end as state,
       count(*) as bookings,
       coalesce(sum(c.units) filter (where c.state in ('held', 'confirmed')), 0)::bigint as units,
       (select coalesce(json_object_agg(coalesce(t.currency, ''), t.total order by t.currency), '{}')
          from (select b.currency, least(sum(b.total), 9007199254740991)::bigint as total
                  from usher.cart_booking as b
                 where b.customer = c.customer and b.cart = c.cart and b.state in ('held', 'confirmed')
                 group by b.currency) as t) as totals,
       min(c.created_at) as created_at,
       max(c.changed_at) as modified_at,
       max(c.sold_at) as sold_at,
       json_agg(json_strip_nulls(json_build_object(
           'resource', c.resource, 'booking', c.booking, 'state', c.state, 'units', c.units, 'total', c.total,
           'currency', c.currency, 'created_at', c.created_at, 'sold_at', c.sold_at, 'ends_at', c.ends_at, 'items', c.items))
           order by c.created_at, c.booking_number) as lines
  from (select b.*,
               max(b.sold_at) filter (where b.state = 'confirmed' and b.op = 'hold') over (
                   partition by b.customer, b.cart
                   order by case when b.sold_at is not null then b.sold_at
                                 when b.state in ('expired', 'released') then least(
                                     b.ends_at + interval '10 seconds',
                                     case b.state when 'released' then b.changed_at end)
                                 else 'infinity' end) as last_sold_at
          from usher.cart_booking as b) as c
 group by c.customer, c.cart;

-- ---- tickets -------------------------------------------------------------------------------------
-- A row for each unit that is sold; by customer, by number of the booking, and by resource. Pools are looked up one by one:
-- what was loaded just now has no statistics, and all pools of a hotel would be read for each of its bookings.
create view usher.purchase as
select b.customer,
       r.id as resource,
       r.name,
       r.venue,
       r.starts_at,
       b.request_id as booking,
       p.kind,
       p.name as pool,
       p.night,
       case when p.kind = 'seats'
            then (select coalesce(s.names[u.n - s.start + 1], s.label || '-' || (s.first + u.n - s.start))
                    from usher.seat_row as s
                   where s.partition = r.partition and s.chart = r.chart and s.section = p.name and s.start <= u.n
                   order by s.start desc limit 1) end as seat,
       case when p.kind in ('seats', 'room') then u.n end as unit,
       (l.line ->> 2)::bigint as price,
       l.line ->> 5 as rate,
       r.currency,
       b.payment,
       b.cart,
       b.created_at,
       b.meta::json as meta,
       b.sold_at,
       b.no as booking_number,
       case when p.kind = 'seats'
            then (select coalesce(s.places[u.n - s.start + 1], s.names[u.n - s.start + 1], s.label || '-' || (s.first + u.n - s.start))
                    from usher.seat_row as s
                   where s.partition = r.partition and s.chart = r.chart and s.section = p.name and s.start <= u.n
                   order by s.start desc limit 1) end as place
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral (
     select e.unit::integer as n
       from json_array_elements_text(case when json_typeof(l.line -> 3) = 'array' then l.line -> 3 else '[]' end)
                as e (unit)
     union all
     select null
       from generate_series(1, case when json_typeof(l.line -> 3) = 'number' then (l.line ->> 3)::bigint end)) as u
 cross join lateral (
     select * from usher.pool
      where resource_no = b.resource_no and index = (l.line ->> 1)::integer offset 0) as p
 where b.state = 'confirmed';

-- Who sits where: a row for each seat, and room of a night, that is sold, and for what a booking has of a section by
-- capacity or a product. Goes by the resource, seats by the rows of its chart, in their order, which is that of lists that
-- are printed. Most bookings have one line: then the text says price and rate, without being read as JSON; and once for all
-- of its seats, as the planner keeps what it found of a booking.
create view usher.door_list as
select r.id as resource,
       p.name as pool,
       p.night,
       coalesce(s.names[a.unit - s.start + 1], s.label || '-' || (s.first + a.unit - s.start)) as seat,
       a.unit,
       1::bigint as quantity,
       b.customer,
       b.request_id as booking,
       case when b.one_line then b.one_rate
            else (select l.line ->> 5 from json_array_elements(b.lines::json) as l (line)
                   where l.line ->> 1 = p.index::text
                     and strpos(translate(l.line ->> 3, '[] ', ',,'), ',' || a.unit || ',') > 0 limit 1) end as rate,
       case when b.one_line then b.one_price
            else (select (l.line ->> 2)::bigint from json_array_elements(b.lines::json) as l (line)
                   where l.line ->> 1 = p.index::text
                     and strpos(translate(l.line ->> 3, '[] ', ',,'), ',' || a.unit || ',') > 0 limit 1) end as price,
       r.currency,
       b.payment,
       b.sold_at,
       b.cart,
       b.meta::json as meta,
       r.name,
       r.starts_at,
       b.no as booking_number,
       coalesce(s.places[a.unit - s.start + 1], s.names[a.unit - s.start + 1],
                s.label || '-' || (s.first + a.unit - s.start)) as place
  from usher.resource_here as r
 cross join lateral (
     select no, index, kind, name collate "C" as name, night
       from usher.pool
      where resource_no = r.no and kind in ('seats', 'room')
      order by name collate "C", night) as p
 cross join lateral (
     (select start, seats, label, first, names, places
        from usher.seat_row
       where p.kind = 'seats' and partition = r.partition and chart = r.chart and section = p.name
       order by start)
     union all
     select 0, 2147483647, null, 0, null, null where p.kind = 'room') as s
 cross join lateral (
     select unit, booking
       from usher.allocation
      where pool = p.no and unit >= s.start and unit < s.start + s.seats
      order by unit) as a
 cross join lateral (
     select f.no, f.request_id, f.customer, f.payment, f.cart, f.meta, f.lines,
            strpos(f.lines, '],[') = 0 as one_line,
            nullif(split_part(f.lines, '"', 2), '') as one_rate,
            split_part(f.lines, ',', 3)::bigint as one_price, f.sold_at
       from usher.booking as f
      where f.no = a.booking and f.state = 'confirmed' offset 0) as b
union all
select r.id, p.name collate "C", p.night, null, null,
       case when json_typeof(l.line -> 3) = 'array' then json_array_length(l.line -> 3) else (l.line ->> 3)::bigint end,
       b.customer, b.request_id, l.line ->> 5, (l.line ->> 2)::bigint, r.currency, b.payment,
       b.sold_at, b.cart, b.meta::json, r.name, r.starts_at, b.no, null
  from usher.resource_here as r
 cross join lateral (
     select from usher.pool
      where resource_no = r.no and kind in ('section', 'product') and sold > 0 limit 1) as any_sold
  join usher.decision as made on made.resource_no = r.no and made.first
  join usher.booking as b on b.no = (made.partition::bigint << 48 | made.seq) and b.state = 'confirmed'
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral (
     select * from usher.pool
      where resource_no = r.no and index = (l.line ->> 1)::integer and kind in ('section', 'product') offset 0) as p;

-- What of each resource is sold, by the hour in which it was: what was cancelled since is not in it.
create view usher.sales as
select resource,
       date_trunc('hour', sold_at) as hour,
       pool,
       night,
       rate,
       sum(quantity)::bigint as units,
       sum(quantity * price)::bigint as amount,
       currency
  from usher.door_list
 group by resource, date_trunc('hour', sold_at), pool, night, rate, currency;

-- ---- the catalogue -------------------------------------------------------------------------------
-- Numbers are counted where they are selected, and only there. The units of bookings that are held or blocked are not
-- sold, all others that are allocated are. Kinds are those of Redis.
create view usher.catalogue as
select r.id as resource,
       (select case when count(distinct k.kind) <> 1 then 'mixed' when bool_or(k.seated) then 'seats' else min(k.kind) end
          from (select case p.kind when 'room' then 'rooms' when 'product' then 'stock' else 'standing' end as kind,
                       p.kind = 'seats' as seated
                  from usher.pool as p
                 where p.resource_no = r.no and p.capacity > 0) as k) as kind,
       r.name,
       r.venue,
       r.state,
       r.starts_at,
       r.ends_at,
       r.opens_at,
       r.closes_at,
       r.timezone,
       r.currency,
       (select sum(p.capacity) from usher.pool as p where p.resource_no = r.no)::bigint as total,
       (select coalesce(sum(p.held), 0) from usher.pool as p where p.resource_no = r.no)::bigint
           + (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state = 'held')::bigint as held,
       (select coalesce(sum(case when p.kind in ('section', 'product') then p.sold
                                 else (select count(*) from usher.allocation as a where a.pool = p.no) end), 0)
          from usher.pool as p where p.resource_no = r.no)::bigint
           - (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state in ('held', 'blocked'))::bigint as sold,
       (select coalesce(sum(p.blocked), 0) from usher.pool as p where p.resource_no = r.no)::bigint
           + (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state = 'blocked')::bigint as blocked,
       (select count(*) from usher.booking as b where b.resource_no = r.no and b.state = 'waiting') as waiting,
       r.takings,
       r.description,
       r.hold_ttl_s,
       coalesce(r.strategy, 'best') as strategy,
       r.terms::json as terms,
       r.chart,
       r.rev,
       r.partition
  from usher.resource_here as r;

-- What is free can be sold: quotas leave no more. Of each resource at once, since its pools share them; in the order in
-- which they were defined, as answers to probe have them: somebody wrote that list for people.
create view usher.availability as
select r.id as resource,
       r.name,
       r.state,
       p.kind,
       p.name as pool,
       p.night,
       p.free,
       p.held,
       p.sold,
       p.blocked,
       p.total,
       p.overbook,
       p.over,
       p.price,
       p.rates,
       r.currency,
       p.index as place,
       p.restrictions,
       p.left_at_rates
  from usher.resource_here as r
 cross join lateral (
     with member as ( -- night by night; what has no night is on one of its own
         select q.place, (q.quota ->> 'limit')::bigint as most, p.no, coalesce(p.night, 'infinity') as night,
                p.held + p.sold as used
           from json_array_elements(r.terms::json -> 'quotas') with ordinality as q (quota, place)
          cross join lateral json_array_elements_text(q.quota -> 'pools') as n (name)
           join usher.pool_units as p on p.resource_no = r.no and p.name = n.name
          where q.quota ->> 'rate' is null
     ), used as (
         select place, night, min(most) as most, sum(used) as used
           from member group by place, night
     ), rest as ( -- what has no night counts on every one, and so on the fullest
         select place, night,
                most - used - coalesce(case when isfinite(night) then max(used) filter (where not isfinite(night)) over quota
                                            else max(used) filter (where isfinite(night)) over quota end, 0) as rest
           from used window quota as (partition by place)
     ), offered as (
         select m.no, min(s.rest) as rest
           from member as m
           join rest as s on s.place = m.place and s.night = m.night
          group by m.no
     ), counted as (
         select c.key::integer as index, c.value as units from json_each(r.by_rate::json) as c
     ), at_rate as ( -- a quota of a rate counts only that, and leaves nothing of it after its end
         select p.index, q.quota ->> 'rate' as rate,
                case when (q.quota ->> 'closes_at')::timestamptz <= now() then 0
                     else greatest((q.quota ->> 'limit')::bigint - sum(coalesce((c.units ->> (q.quota ->> 'rate'))::bigint, 0))
                                       over (partition by q.place, coalesce(p.night, 'infinity')), 0) end as rest
           from json_array_elements(r.terms::json -> 'quotas') with ordinality as q (quota, place)
          cross join lateral json_array_elements_text(q.quota -> 'pools') as n (name)
           join usher.pool as p on p.resource_no = r.no and p.name = n.name
           left join counted as c on c.index = p.index
          where q.quota ->> 'rate' is not null
     ), limited as (
         select index, json_object_agg(rate, rest order by rate) as left_at_rates
           from (select index, rate, min(rest) as rest from at_rate group by index, rate) as a
          where rest is not null
          group by index
     )
     select p.kind, p.name, p.night,
            greatest(least(p.capacity - p.held - p.sold - p.blocked, o.rest), 0)::bigint as free,
            p.held, p.sold, p.blocked, p.capacity::bigint as total, p.overbook, p.over, p.price, p.rates::json as rates,
            p.index, p.restrictions::json as restrictions, l.left_at_rates
       from usher.pool_units as p
       left join limited as l on l.index = p.index
       left join offered as o on o.no = p.no
      where p.resource_no = r.no) as p;

-- The layout of the hall of a resource, and what of it is taken.
create view usher.hall as
select r.id as resource, r.chart, c.content::json as layout
  from usher.resource_here as r
  join usher.chart as c on c.partition = r.partition and c.hash = r.chart;

create view usher.taken_seats as
select r.id as resource,
       p.name as section,
       a.unit,
       b.state,
       b.customer,
       b.request_id as booking,
       b.expires_at as ends_at
  from usher.resource_here as r
  join usher.pool as p on p.resource_no = r.no and p.kind = 'seats'
  join usher.allocation as a on a.pool = p.no
 cross join lateral (
     select no, partition, resource_no, created_at, expires_at, total, state, op, request_id, client, customer, cart, payment,
            note, lines, meta, ttl_s, wants
       from usher.booking
      where no = a.booking offset 0) as b;

-- ---- history -------------------------------------------------------------------------------------
-- All that ever happened, in the order of a partition: (partition, seq). One row for each decision and
-- booking that it made or changed: so a cart's has several, that of a transfer of a part two, and any other transfer's one
-- for each customer.
-- Each part of it goes from any of resource, customer and booking to the decisions by indexes; what
-- is said twice in a join is said for either way round. Who asked what was refused is in `answer`.
create view usher.history as
select x.decided_at,
       x.of_resource as resource,
       x.of_customer as customer,
       x.op,
       x.outcome,
       x.reason,
       a.answer ->> 'detail' as detail,
       coalesce(x.of_booking, a.answer ->> 'booking') as booking,
       (a.answer ->> 'total')::bigint as total,
       a.answer ->> 'currency' as currency,
       x.source_offset is null as unasked,
       x.replayed,
       x.client,
       x.request_id,
       x.partition,
       x.seq,
       x.source_offset,
       x.epoch,
       a.answer,
       x.changed as booking_number,
       coalesce((a.answer -> 'units')::jsonb, '[]') || coalesce((a.answer -> 'returned')::jsonb, '[]')
           as units
  from (-- what made a booking
        select d.*, r.id as of_resource, b.customer as of_customer, b.request_id as of_booking,
               b.no as changed
          from usher.booking as b
          join usher.decision as d
            on d.partition = b.partition and d.seq = (b.no & ((1::bigint << 48) - 1))
           and (d.partition::bigint << 48 | d.seq) = b.no and d.first
          join usher.resource_here as r on r.no = b.resource_no and r.no = d.resource_no
         where (b.state <> 'held' or b.state = 'held' and b.expires_at is not null) and d.booking_nos is null
        union all
        -- what became of it
        select d.*, r.id, b.customer, b.request_id, b.no
          from usher.booking as b
          join usher.decision as made
            on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
           and (made.partition::bigint << 48 | made.seq) = b.no and made.first
          join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
          join usher.decision as d
            on d.booking_no = b.no and d.booking_no <> (d.partition::bigint << 48 | d.seq)
           and d.booking_nos is null
         where b.state <> 'held' or b.state = 'held' and b.expires_at is not null
        union all
        -- … together with others; also what made it of a part of another
        select d.*, r.id, b.customer, b.request_id, b.no
          from usher.booking as b
          join usher.decision as made
            on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
           and (made.partition::bigint << 48 | made.seq) = b.no and made.first
          join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
          join usher.cart_decision as c on c.booking = b.no
          join usher.decision as d on d.partition = c.partition and d.seq = c.seq
         where b.state <> 'held' or b.state = 'held' and b.expires_at is not null
        union all
        -- to whom it no longer belongs
        select d.*, r.id, f.customer, b.request_id, b.no
          from usher.former_owner as f
          join usher.booking as b on b.no = f.booking
          join usher.decision as d
            on d.booking_no = b.no and d.booking_no <> (d.partition::bigint << 48 | d.seq)
           and d.outcome = 'transferred'
          join usher.resource_here as r on r.no = b.resource_no
        union all
        -- what concerned no booking: the catalogue, refusals
        select d.*, r.id, null, null, null
          from usher.decision as d
          join usher.resource_here as r on r.no = d.resource_no
         where d.first and d.booking_no is null and d.booking_nos is null
        union all
        -- repeats, and what could not be read
        select d.*, d.resource, null, null, null
          from usher.decision as d
         where not d.first and d.booking_no is null and d.booking_nos is null
           and (d.partition in (select partition from usher.home)) is true) as x
 cross join lateral (select ('{' || x.body || '}')::json as answer offset 0) as a;

-- Who sold what when: a row for each decision that sold units or took sales back. `amount` is what it
-- changed, so the sum over any time is exact, and over all time it is the price of all that is sold.
create view usher.audit as
select d.decided_at,
       d.resource,
       d.client,
       a.answer ->> 'customer' as customer,
       d.op,
       d.outcome,
       a.answer ->> 'booking' as booking,
       a.answer ->> 'cart' as cart,
       case d.outcome
            when 'confirmed' then (a.answer ->> 'total')::bigint
            when 'exchanged' then (a.answer ->> 'difference')::bigint
            else -(select coalesce(sum((g ->> 'price')::bigint
                                       * coalesce((g ->> 'quantity')::bigint,
                                                  json_array_length(g -> 'seats'),
                                                  json_array_length(g -> 'tokens'))), 0)
                     from json_array_elements(a.answer -> 'returned') as g)::bigint
       end as amount,
       a.answer ->> 'currency' as currency,
       a.answer ->> 'payment' as payment,
       a.answer -> 'units' as units,
       a.answer -> 'returned' as returned,
       d.source_offset is null as unasked,
       a.answer ->> 'cause' as cause,
       d.request_id,
       d.partition,
       d.seq
  from usher.decision as d
 cross join lateral (select ('{' || d.body || '}')::json as answer offset 0) as a
 where d.outcome in ('confirmed', 'cancelled', 'exchanged') and not d.replayed
   and (d.partition in (select partition from usher.home)) is true
   -- A hold that is exchanged is no sale, nor is a part of one. (Counted, since `exists` might be answered by a hash of all.)
   and (d.outcome <> 'exchanged'
        or (select count(*) from usher.decision as s
             where s.partition = d.partition and s.seq = (d.booking_no & ((1::bigint << 48) - 1))
               and (s.outcome = 'confirmed' or s.outcome = 'transferred' and position('"expires_at":' in s.body) = 0)) > 0
        or (select count(*) from usher.decision as s
             where s.booking_no = d.booking_no
               and s.booking_no <> (s.partition::bigint << 48 | s.seq)
               and s.outcome = 'confirmed' and s.seq < d.seq) > 0
        or (select count(*) from usher.cart_decision as c
              join usher.decision as s on s.partition = c.partition and s.seq = c.seq
             where c.booking = d.booking_no and s.outcome = 'confirmed' and s.seq < d.seq) > 0);

-- ---- sums ----------------------------------------------------------------------------------------
-- What each quarter of an hour brought.
create view usher.pace as
select r.id as resource, q.began_at, q.outcome, nullif(q.rate, '') as rate, nullif(q.client, '') as client, q.bookings, q.units,
       q.amount, r.currency, r.timezone
  from usher.quarter as q
  join usher.resource_here as r on r.no = q.resource_no;

-- When the day began at a place; in UTC if nobody here knows where it is.
create function usher.midnight(p_timezone text) returns timestamptz
language plpgsql stable
as $$
begin
    return date_trunc('day', now(), coalesce(p_timezone, 'UTC'));
exception
    when invalid_parameter_value then
        return date_trunc('day', now(), 'UTC');
end
$$;

-- ---- what went wrong -------------------------------------------------------------------------------
-- Requests that were refused, by the hour; by the resource it goes by an index.
create view usher.refusals as
select resource, date_trunc('hour', decided_at) as hour, op, outcome, reason, count(*) as requests,
       max(decided_at) as last_at
  from (select r.id as resource, d.decided_at, d.op, d.outcome, d.reason
          from usher.decision as d
          join usher.resource_here as r on r.no = d.resource_no
         where d.first and d.outcome = 'refused'
        union all
        select d.resource, d.decided_at, d.op, d.outcome, d.reason
          from usher.decision as d
         where not d.first and d.booking_no is null and not d.replayed and d.outcome in ('refused', 'invalid')
           and (d.partition in (select partition from usher.home)) is true) as x
 group by resource, date_trunc('hour', decided_at), op, outcome, reason;

create view usher.dead_letters as
select l.partition,
       l.seq,
       l.source_offset,
       d.decided_at,
       l.reason,
       a.answer ->> 'detail' as detail,
       d.resource,
       d.request_id,
       d.client,
       octet_length(l.value) as size,
       l.truncated,
       l.key,
       l.value
  from usher.dead_letter as l
  join usher.decision as d on d.partition = l.partition and d.seq = l.seq
 cross join lateral (select ('{' || d.body || '}')::json as answer offset 0) as a
 where (l.partition in (select partition from usher.home)) is true;

-- ---- partitions ------------------------------------------------------------------------------------
create view usher.partitions as
select s.partition,
       split_part(s.owner, '#', 1) as owner,
       exists (select from pg_catalog.pg_stat_activity as a
                where a.pid = s.backend_pid and a.datname = current_database()) as connected,
       s.epoch,
       s.acquired_at,
       s.next_offset,
       s.next_seq,
       s.published_seq,
       s.now as last_decided_at,
       h.halted_at,
       h.reason as halted,
       s.partition_count,
       s.shard,
       s.destination
  from usher.partition_state as s
  left join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.epoch;

-- What became of partitions beside their work: a row for each time that one halted, was moved on (a loss that was accepted
-- is no skip), got new topics, or had its time set.
create view usher.partition_events as
select e.*
  from (select h.partition,
               h.halted_at as happened_at,
               case when s.epoch = h.epoch then 'halted' else 'was halted' end as event,
               h.next_offset as from_offset,
               null::bigint as to_offset,
               null::bigint as records,
               h.reason,
               h.resumed_by as by_whom,
               h.resumed_at as over_at
          from usher.partition_halt as h
          join usher.partition_state as s on s.partition = h.partition
        union all
        select partition, skipped_at, case when from_offset = to_offset then 'loss accepted' else 'skipped' end, from_offset,
               to_offset,
               records + placeholders, reason, skipped_by, null
          from usher.partition_skip
        union all
        select partition, accepted_at, case topics when 'both' then 'new topics' else 'new topic of ' || topics end,
               next_offset, null, null, reason, accepted_by, null
          from usher.partition_topic
        union all
        select partition, became, 'clock reset', null, null, null, format('its time was %s', was), reset_by, null
          from usher.clock_reset
        union all
        select partition, moved_at,
               (case when target is null then 'forgot moved in ' || source
                     else format('moved %s → %s', source, target) end) collate "default",
               null, null, null, null, moved_by, null
          from usher.partition_move) as e
 where (e.partition in (select partition from usher.home)) is true;

-- ---- permissions -----------------------------------------------------------------------------------
revoke execute on function usher.midnight from public;

grant select on usher.bookings, usher.open_holds, usher.blocks, usher.waiting, usher.purchase, usher.door_list, usher.sales,
    usher.catalogue, usher.availability, usher.hall, usher.taken_seats, usher.history, usher.audit, usher.refusals,
    usher.dead_letters, usher.partitions, usher.partition_events, usher.cart, usher.home, usher.cart_booking, usher.pace
    to usher_reader, usher_worker;
grant execute on function usher.midnight to usher_reader, usher_worker;
