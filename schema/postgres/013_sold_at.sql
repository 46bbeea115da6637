-- A door list of a big hall in a blink: when a booking was sold is in its row, where it was looked up among its decisions;
-- its text is read once for all of its seats; and rows come in the order in which lists are printed, so that sorting them
-- costs next to nothing. Sales are told by night, too.
--
-- Workers of the version before are stopped first: one that runs ends with its next load, as what it reads has a column
-- more. What was sold before has no time in its row, and is looked up as it was. Bookings get no other version for it.

set local role usher_owner;

-- Locks the views before their tables, as 004 does: whoever reads one has locked it and then waits for them.
alter view usher.purchase reset (security_barrier);
alter view usher.bookings reset (security_barrier);

-- Their columns become others: names of pools are sorted byte by byte, and sales have the night.
drop view usher.sales, usher.door_list;

alter table usher.booking add column sold_at timestamptz;
grant update (sold_at) on usher.booking to usher_worker;

-- What a hold inserts has the columns of its table, in their order, as in 002. Nobody sends booking_row any more.
create type usher.new_booking_row as (
    no bigint, partition integer, resource_no bigint, created_at timestamptz,
    expires_at timestamptz, total bigint, state text, op text, request_id text, client text,
    customer text, cart text, payment text, note text, lines text, meta text, ttl_s integer,
    wants text, sold_at timestamptz
);

-- ---- views ---------------------------------------------------------------------------------------
create or replace view usher.bookings as
select r.id as resource,
       b.request_id as booking,
       b.customer,
       b.state,
       (select sum(l.quantity) from usher.booking_line as l where l.booking = b.no)::bigint as units,
       b.total,
       r.currency,
       b.created_at,
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end) as sold_at,
       b.expires_at as ends_at,
       b.cart,
       b.client,
       b.payment,
       b.note,
       b.meta::json as meta,
       (select json_agg(json_strip_nulls(json_build_object(
                   case p.kind when 'room' then 'room' when 'product' then 'product' else 'section' end, p.name,
                   'night', p.night,
                   'seats', case when p.kind = 'seats' then (
                       select json_agg((
                                  select coalesce(s.names[u.n - s.start + 1], s.label || '-' || (s.first + u.n - s.start))
                                    from usher.seat_row as s
                                   where s.partition = r.partition and s.chart = r.chart and s.section = p.name
                                     and s.start <= u.n
                                   order by s.start desc limit 1) order by u.place)
                         from (select n::integer, place
                                 from json_array_elements_text(l.units) with ordinality as u (n, place)) as u) end,
                   'tokens', case when p.kind = 'room' then l.units end,
                   'quantity', l.quantity, 'price', l.price, 'rate', l.rate)) order by l.place)
          from usher.booking_line as l
         cross join lateral (
             select * from usher.pool where resource_no = b.resource_no and index = l.pool_index offset 0) as p
         where l.booking = b.no) as items,
       b.op,
       b.partition,
       b.no as booking_number
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource as r on r.no = b.resource_no and r.no = made.resource_no
 where b.state <> 'held' or b.state = 'held' and b.expires_at is not null;

create or replace view usher.purchase as
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
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end) as sold_at,
       b.no as booking_number
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource as r on r.no = b.resource_no and r.no = made.resource_no
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
-- capacity or a product. Goes by the resource, seats by the rows of its chart, in their order. Most bookings have one
-- line: then the text says price and rate, without being read as JSON; and once for all of its seats, as the planner
-- keeps what it found of a booking.
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
       b.no as booking_number
  from usher.resource as r
 cross join lateral (
     select no, index, kind, name collate "C" as name, night
       from usher.pool
      where resource_no = r.no and kind in ('seats', 'room')
      order by name collate "C", night) as p
 cross join lateral (
     (select start, seats, label, first, names
        from usher.seat_row
       where p.kind = 'seats' and partition = r.partition and chart = r.chart and section = p.name
       order by start)
     union all
     select 0, 2147483647, null, 0, null where p.kind = 'room') as s
 cross join lateral (
     select unit, booking
       from usher.allocation
      where pool = p.no and unit >= s.start and unit < s.start + s.seats
      order by unit) as a
 cross join lateral (
     select f.no, f.request_id, f.customer, f.payment, f.cart, f.meta, f.lines,
            strpos(f.lines, '],[') = 0 as one_line,
            nullif(split_part(f.lines, '"', 2), '') as one_rate,
            split_part(f.lines, ',', 3)::bigint as one_price,
            coalesce(f.sold_at, case f.op when 'book' then f.created_at
                                          else (select t.sold_at from usher.sale_time as t
                                                 where t.booking = f.no limit 1) end) as sold_at
       from usher.booking as f
      where f.no = a.booking and f.state = 'confirmed' offset 0) as b
union all
select r.id, p.name collate "C", p.night, null, null,
       case when json_typeof(l.line -> 3) = 'array' then json_array_length(l.line -> 3) else (l.line ->> 3)::bigint end,
       b.customer, b.request_id, l.line ->> 5, (l.line ->> 2)::bigint, r.currency, b.payment,
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end),
       b.cart, b.meta::json, r.name, r.starts_at, b.no
  from usher.resource as r
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

-- ---- permissions -----------------------------------------------------------------------------------
grant select on usher.door_list, usher.sales to usher_reader, usher_worker;

-- ---- comments ----------------------------------------------------------------------------------
comment on column usher.booking.sold_at is 'when it was confirmed, or booked at once; null: it was not, or by a worker that did not say so';
comment on view usher.door_list is 'who sits where: sold seats and rooms, one row each, and what bookings have of sections by capacity and products; by resource';
comment on column usher.door_list.resource is 'of what';
comment on column usher.door_list.pool is 'section, room type, or product';
comment on column usher.door_list.night is 'of a room';
comment on column usher.door_list.seat is 'name of the seat';
comment on column usher.door_list.unit is 'number of the seat or room; null where the pool is only counted';
comment on column usher.door_list.quantity is 'units: 1 of seats and rooms';
comment on column usher.door_list.customer is 'whose they are';
comment on column usher.door_list.booking is 'id of the booking';
comment on column usher.door_list.rate is 'name of the rate, where the pool has several';
comment on column usher.door_list.price is 'of one of them, in minor units of the currency';
comment on column usher.door_list.currency is 'ISO 4217';
comment on column usher.door_list.payment is 'reference that came with the confirm';
comment on column usher.door_list.sold_at is 'when it was confirmed';
comment on column usher.door_list.cart is 'name of the cart';
comment on column usher.door_list.meta is 'JSON that came with the request';
comment on column usher.door_list.name is 'of the resource';
comment on column usher.door_list.starts_at is 'of the resource';
comment on column usher.door_list.booking_number is 'of the booking, as usher.booking_number says';
comment on view usher.sales is 'what is sold, by pool, rate and the hour in which it was; what was cancelled since is left out; by resource';
comment on column usher.sales.resource is 'of what';
comment on column usher.sales.hour is 'in which it was confirmed';
comment on column usher.sales.pool is 'section, room type, or product';
comment on column usher.sales.night is 'of a room';
comment on column usher.sales.rate is 'name of the rate, where the pool has several';
comment on column usher.sales.units is 'how many';
comment on column usher.sales.amount is 'what they cost, in minor units of the currency';
comment on column usher.sales.currency is 'ISO 4217';
