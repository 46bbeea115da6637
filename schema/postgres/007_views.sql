-- What people look at: who sits where, what is sold at all, which holds are open, what is refused, who owns which
-- partition. No table that batches write to gets an index: a door list goes resource → pool → allocation → booking,
-- other questions about a resource go by its first decisions, as history does.

-- A report must not hold back vacuum, nor use up the connections of the workers. Where the role that migrates may not set
-- this, or somebody has set it already, `usher-worker check` has the rest.
do $$
begin
    if not exists (select from pg_db_role_setting where setrole = 'usher_reader'::regrole) then
        alter role usher_reader set statement_timeout = '1min';
        alter role usher_reader set idle_in_transaction_session_timeout = '1min';
        alter role usher_reader set default_transaction_read_only = on;
        alter role usher_reader set jit = off; -- compiling takes longer than a look at one show
    end if;
    if (select rolconnlimit from pg_roles where rolname = 'usher_reader') = -1 then
        alter role usher_reader connection limit 20;
    end if;
exception
    when insufficient_privilege then
        null;
end
$$;

set local role usher_owner;

-- Locks the view before its tables, as 004 does: whoever reads it has locked it and then waits for them.
alter view usher.purchase reset (security_barrier);

-- ---- the names of seats ------------------------------------------------------------------------
-- The rows of each chart: a seat is found by its row, not by reading the whole chart for each.
create table usher.seat_row (
    partition integer not null,
    chart text collate "C" not null,
    section text not null,
    start integer not null,    -- its first unit in the section, which counts row by row
    seats integer not null,
    label text not null,
    first integer not null,    -- the number of its first seat: seats are called LABEL-NUMBER …
    names text[],              -- … or have names of their own
    primary key (partition, chart, section, start)
);

create function usher.rows_of_chart(p_partition integer, p_hash text, p_content text) returns setof usher.seat_row
language sql stable
as $$
    select p_partition, p_hash, x.section,
           (sum(x.seats) over (partition by x.section_place order by x.place) - x.seats)::integer,
           x.seats, x.line ->> 'row', coalesce((x.line ->> 'first')::integer, 1),
           case when json_typeof(x.line -> 'names') = 'array'
                then array(select json_array_elements_text(x.line -> 'names')) end
      from (select s.section ->> 'section' as section, s.place as section_place, r.line, r.place,
                   (r.line ->> 'seats')::integer as seats
              from json_array_elements(p_content::json -> 'sections') with ordinality as s (section, place),
                   json_array_elements(s.section -> 'rows') with ordinality as r (line, place)
             where json_typeof(s.section -> 'rows') = 'array') as x
     where x.seats > 0
$$;

-- For the worker, which inserts charts: once for each layout. One that could not be read would have no names, which must
-- not keep its seats from being sold.
create function usher.add_seat_rows() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    chart usher.chart;
begin
    for chart in select * from added loop
        begin
            insert into usher.seat_row
            select s.* from usher.rows_of_chart(chart.partition, chart.hash, chart.content) as s;
        exception
            when data_exception or not_null_violation then
                null;
        end;
    end loop;
    return null;
end
$$;

insert into usher.seat_row
select s.* from usher.chart as c cross join lateral usher.rows_of_chart(c.partition, c.hash, c.content) as s;

create trigger add_seat_rows after insert on usher.chart referencing new table as added
    for each statement execute function usher.add_seat_rows();

-- Charts that a worker added between the two: the lock of the trigger keeps others away.
insert into usher.seat_row
select s.*
  from usher.chart as c
 cross join lateral usher.rows_of_chart(c.partition, c.hash, c.content) as s
 where not exists (select from usher.seat_row as r where r.partition = c.partition and r.chart = c.hash);

-- ---- halted partitions ---------------------------------------------------------------------------
-- Why a worker stopped to decide: it holds as long as the partition is in that epoch.
create table usher.partition_halt (
    partition integer not null,
    epoch integer not null,
    halted_at timestamptz not null default clock_timestamp(),
    next_offset bigint,
    reason text not null,
    primary key (partition, epoch)
);

-- ---- what views are made of: not for readers -----------------------------------------------------
-- When what was held was sold: confirmed alone, or in a cart. What was booked at once was sold when it was made.
create view usher.sale_time as
select d.booking_no as booking, d.decided_at as sold_at
  from usher.decision as d
 where d.booking_no is not null and d.booking_no <> (d.partition::bigint << 48 | d.seq)
   and d.outcome = 'confirmed' and not d.replayed and d.booking_nos is null
union all
select c.booking, d.decided_at
  from usher.cart_decision as c
  join usher.decision as d on d.partition = c.partition and d.seq = c.seq
 where d.outcome = 'confirmed' and not d.replayed;

-- The lines of bookings. What was written before sections by capacity were counted has numbers there, too.
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
       case b.op when 'book' then b.created_at
                 else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end as sold_at,
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

create view usher.open_holds as
select resource, customer, booking, units, total, currency, created_at as held_since, ends_at, cart, client, items,
       booking_number
  from usher.bookings
 where state = 'held';

create view usher.blocks as
select resource, booking, note, units, created_at as blocked_since, ends_at as returns_at, client, items, booking_number
  from usher.bookings
 where state = 'blocked';

-- ---- tickets -------------------------------------------------------------------------------------
-- A row for each unit that is sold; by customer, by number of the booking, and by resource.
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
       case b.op when 'book' then b.created_at
                 else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end as sold_at,
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

drop function usher.seat_name;

-- Who sits where: a row for each seat, and room of a night, that is sold, and for what a booking has of a section by
-- capacity or a product. Goes by the resource, seats by the rows of its chart. Most bookings have one line: then the
-- text says price and rate, without being read as JSON for each seat.
create view usher.door_list as
select r.id as resource,
       p.name as pool,
       p.night,
       coalesce(s.names[a.unit - s.start + 1], s.label || '-' || (s.first + a.unit - s.start)) as seat,
       a.unit,
       1::bigint as quantity,
       b.customer,
       b.request_id as booking,
       case when strpos(b.lines, '],[') = 0 then nullif(split_part(b.lines, '"', 2), '')
            else (select l.line ->> 5 from json_array_elements(b.lines::json) as l (line)
                   where l.line ->> 1 = p.index::text
                     and strpos(translate(l.line ->> 3, '[] ', ',,'), ',' || a.unit || ',') > 0 limit 1) end as rate,
       case when strpos(b.lines, '],[') = 0 then split_part(b.lines, ',', 3)::bigint
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
  join usher.pool as p on p.resource_no = r.no and p.kind in ('seats', 'room')
 cross join lateral (
     select start, seats, label, first, names
       from usher.seat_row
      where p.kind = 'seats' and partition = r.partition and chart = r.chart and section = p.name
     union all
     select 0, 2147483647, null, 0, null where p.kind = 'room') as s
 cross join lateral (
     select unit, booking from usher.allocation
      where pool = p.no and unit >= s.start and unit < s.start + s.seats offset 0) as a
 cross join lateral (
     select f.*, case f.op when 'book' then f.created_at
                 else (select t.sold_at from usher.sale_time as t where t.booking = f.no limit 1) end as sold_at
       from usher.booking as f
      where f.no = a.booking and f.state = 'confirmed' offset 0) as b
union all
select r.id, p.name, p.night, null, null,
       case when json_typeof(l.line -> 3) = 'array' then json_array_length(l.line -> 3) else (l.line ->> 3)::bigint end,
       b.customer, b.request_id, l.line ->> 5, (l.line ->> 2)::bigint, r.currency, b.payment,
       case b.op when 'book' then b.created_at
                 else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end, b.cart, b.meta::json, r.name,
       r.starts_at, b.no
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
       rate,
       sum(quantity)::bigint as units,
       sum(quantity * price)::bigint as amount,
       currency
  from usher.door_list
 group by resource, date_trunc('hour', sold_at), pool, rate, currency;

-- ---- the catalogue -------------------------------------------------------------------------------
-- Numbers are counted where they are selected, and only there. The units of bookings that are held or blocked are not
-- sold, all others that are allocated are.
create view usher.catalogue as
select r.id as resource,
       (select case when count(distinct k.kind) = 1 then min(k.kind) else 'mixed' end
          from (select case p.kind when 'room' then 'rooms' when 'product' then 'stock' else 'seats' end as kind
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
       (select coalesce(sum(b.total), 0)
          from usher.decision as made
          join usher.booking as b on b.no = (made.partition::bigint << 48 | made.seq) and b.state = 'confirmed'
         where made.resource_no = r.no and made.first)::bigint as takings,
       r.description,
       r.hold_ttl_s,
       coalesce(r.strategy, 'best') as strategy,
       r.terms::json as terms,
       r.chart,
       r.rev,
       r.partition
  from usher.resource as r;

-- The layout of the hall of a resource, and what of it is taken.
create view usher.hall as
select r.id as resource, r.chart, c.content::json as layout
  from usher.resource as r
  join usher.chart as c on c.partition = r.partition and c.hash = r.chart;

create view usher.taken_seats as
select r.id as resource,
       p.name as section,
       a.unit,
       b.state,
       b.customer,
       b.request_id as booking,
       b.expires_at as ends_at
  from usher.resource as r
  join usher.pool as p on p.resource_no = r.no and p.kind = 'seats'
  join usher.allocation as a on a.pool = p.no
 cross join lateral (select * from usher.booking where no = a.booking offset 0) as b;

-- ---- what went wrong -------------------------------------------------------------------------------
-- Requests that were refused, by the hour; by the resource it goes by an index.
create view usher.refusals as
select resource, date_trunc('hour', decided_at) as hour, op, outcome, reason, count(*) as requests,
       max(decided_at) as last_at
  from (select r.id as resource, d.decided_at, d.op, d.outcome, d.reason
          from usher.decision as d
          join usher.resource as r on r.no = d.resource_no
         where d.first and d.outcome = 'refused'
        union all
        select d.resource, d.decided_at, d.op, d.outcome, d.reason
          from usher.decision as d
         where not d.first and d.booking_no is null and not d.replayed and d.outcome in ('refused', 'invalid')) as x
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
 cross join lateral (select ('{' || d.body || '}')::json as answer offset 0) as a;

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
       s.partition_count
  from usher.partition_state as s
  left join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.epoch;

-- ---- permissions -----------------------------------------------------------------------------------
revoke execute on function usher.rows_of_chart, usher.add_seat_rows from public;
revoke execute on function usher.line_quantity, usher.line_units from usher_reader;

grant select, insert on usher.partition_halt to usher_worker;
grant select on usher.seat_row to usher_worker;
grant select on usher.schema_migration to usher_reader;
grant select on usher.bookings, usher.open_holds, usher.blocks, usher.door_list, usher.sales, usher.catalogue,
    usher.hall, usher.taken_seats, usher.refusals, usher.dead_letters, usher.partitions to usher_reader, usher_worker;

-- ---- comments ------------------------------------------------------------------------------------
-- A line each: relation, relation.column or function(), and what it is.
do $do$
declare
    said text[];
begin
    for said in
        select regexp_match(line, '^\s*(\S+)\s+(.*)$')
          from regexp_split_to_table($comments$
    schema_migration             migrations that were applied; read with usher-worker migrate list
    schema_migration.version     number of the file: 1 is 001_….sql
    schema_migration.name        its name
    schema_migration.sha256      of its content: an applied file never changes
    schema_migration.applied_at  when
    schema_migration.applied_by  the login that migrated

    partition_state                          where each partition stands; written with every batch, by usher.advance and usher.acquire only
    partition_state.partition                number of the Kafka partition
    partition_state.partition_count          of the topic of requests; permanent
    partition_state.epoch                    how many times the partition has changed owner: who writes under an older one is refused
    partition_state.next_offset              of the first request in Kafka that is not decided; null: none was
    partition_state.next_seq                 number of the next decision
    partition_state.now                      time of the last decision; the next one is not earlier
    partition_state.published_seq            answers up to this decision are known to be in Kafka
    partition_state.published_result_offset  where the last of them lies in the topic of answers
    partition_state.fingerprint_offset       of a request that was decided …
    partition_state.fingerprint              … and a digest of it: tells whether the topic is still the same
    partition_state.owner                    the worker, and a token of its assignment
    partition_state.backend_pid              of its session, by which a stuck predecessor is terminated
    partition_state.backend_start            of that session: a pid may be used again
    partition_state.acquired_at              when it took the partition

    partition_halt              why a worker stopped to decide; holds as long as the partition is in that epoch
    partition_halt.partition    number of the Kafka partition
    partition_halt.epoch        of the partition then
    partition_halt.halted_at    when
    partition_halt.next_offset  of the request at which it stands; null: none was decided
    partition_halt.reason       what deploy/README.md, "A partition is halted", has advice for

    chart            layouts of halls, each once per partition, shared by shows
    chart.partition  number of the Kafka partition
    chart.hash       sha256:… of the content: its name
    chart.content    JSON {"sections":[{"section":…,"rows":[…]}]}, canonical

    seat_row            the rows of each chart, from which seats get their names; made from it by a trigger
    seat_row.partition  number of the Kafka partition
    seat_row.chart      the chart's hash
    seat_row.section    name of the section, which is a pool
    seat_row.start      unit of its first seat: units count the seats of a section row by row
    seat_row.seats      how many seats it has
    seat_row.label      name of the row: seats are called LABEL-NUMBER
    seat_row.first      number of its first seat
    seat_row.names      of its seats, where they have names of their own; else null

    resource              what is sold under one serial order: a show, a hotel, a shop
    resource.no           its number: partition << 48 | seq of the decision that made it
    resource.partition    number of the Kafka partition of its requests
    resource.id           its name, the key of its requests
    resource.state        draft, open, closed
    resource.name         for people
    resource.venue        for people
    resource.description  for people
    resource.timezone     IANA name: where its nights and times are
    resource.currency     ISO 4217
    resource.starts_at    of a show
    resource.ends_at      of a show
    resource.hold_ttl_s   how long a hold lasts, in seconds; null: as the worker is configured
    resource.rev          seq of the last decision that changed it
    resource.chart        hash of its layout; null: no seats
    resource.opens_at     sold from here on; null: at once
    resource.closes_at    … and before this; null: as long as it is open
    resource.strategy     which seats are given first: best, first, random; null: best
    resource.terms        JSON {"limits":{…},"quotas":[…]}; null: none
    resource.cancelling   all of its bookings are being cancelled: the note of the close, or an empty text; null: they are not
    resource.unserved     a party on its waiting list may fit now, and has not been looked at

    pool              units of a resource with one price: a section, a room type on one night, a product
    pool.no           its number: partition << 48 | number
    pool.resource_no  the resource
    pool.index        its place among the pools of the resource, by which lines of bookings name it
    pool.kind         seats (have numbers), section (by capacity), room (of one night), product
    pool.name         of the section, room type, or product
    pool.night        of a room: the date on which it begins
    pool.title        for people
    pool.capacity     how many units there are, those of overbook included
    pool.price        of a unit, in minor units of the currency: of the rate that is meant where none is named
    pool.overbook     how many of the capacity are more than there are
    pool.rates        JSON [["adult",4500],…] in their order; null: `price` is the only one
    pool.properties   JSON object, as defined
    pool.held         units that are held, of sections by capacity and products; the others have allocations
    pool.sold         units that are sold, likewise
    pool.blocked      units that are blocked, likewise

    booking              a hold, sale, block or waiting party: what one customer has of one resource
    booking.no           its number: partition << 48 | seq of the decision that made it
    booking.partition    number of the Kafka partition
    booking.resource_no  the resource
    booking.created_at   when it was made; of one from the waiting list, when it was served
    booking.expires_at   when it ends by itself: a hold, a waiting party, a block with a time
    booking.total        price of its units, in minor units of the currency
    booking.state        held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left
    booking.op           the operation that made it: hold, book, block
    booking.request_id   of the request that made it: the booking's id
    booking.client       the service that sent it
    booking.customer     its present owner; null: the house
    booking.cart         name of the cart that it is in
    booking.payment      reference that came with the confirm
    booking.note         why it was blocked or cancelled
    booking.lines        JSON [[item, pool index, price, units, layout, rate], …]; units: numbers, or a quantity
    booking.meta         JSON that came with the request
    booking.ttl_s        its hold time, in seconds, for when its cart is used
    booking.wants        JSON of what a waiting party asked for

    allocation          the seats, and rooms of a night, that are held, sold or blocked; the primary key forbids a second owner
    allocation.pool     number of the pool
    allocation.booking  number of the booking
    allocation.unit     number of the seat or room within the pool

    decision                what was decided: history, and the answers that go out, at once
    decision.seq            number of the decision within its partition, without gaps
    decision.source_offset  of its request in Kafka; null: nobody asked (expiry, waiting list, closed resource, returned block)
    decision.resource_no    the resource; null: there is none of that name
    decision.booking_no     the one booking that it made or changed
    decision.decided_at     when
    decision.appended_at    when its request was appended in Kafka
    decision.partition      number of the Kafka partition
    decision.epoch          of the partition then
    decision.codec          version in which body and hashes are written
    decision.first          the first answer to its request id: the one that a repeated request gets again
    decision.replayed       a repeat: the answer is that of an earlier decision
    decision.cloud_events   the request came with CloudEvents headers, so the answer has them, too
    decision.id_hash        of the request id: finds the first answer
    decision.content_hash   of what was asked: the same id with another content is refused
    decision.outcome        held, confirmed, …, refused, invalid
    decision.op             operation of the request
    decision.reason         of refused and invalid ones
    decision.request_id     as sent; null where it could not be read
    decision.resource       as sent
    decision.key            of the answer's record, where it is not the resource
    decision.client         the service that asked
    decision.traceparent    header of the request, passed on
    decision.body           of the answer: JSON without braces, and without what the other columns say
    decision.booking_nos    all bookings that it changed, where there may be several: of a cart

    cart_decision            decisions about several bookings, by booking
    cart_decision.booking    number of the booking
    cart_decision.partition  of the decision
    cart_decision.seq        of the decision

    former_owner           customers who had a booking before it was transferred
    former_owner.customer  who
    former_owner.booking   number of the booking

    dead_letter                records that could not be processed, with their bytes
    dead_letter.partition      number of the Kafka partition
    dead_letter.seq            of the decision that says so
    dead_letter.source_offset  of the record in the topic of requests
    dead_letter.truncated      the record was larger than what is kept of it
    dead_letter.reason         why
    dead_letter.key            of the record
    dead_letter.value          of the record

    clock_reset            times at which the clock of a partition was set back: only there decisions are not in the order of their times
    clock_reset.partition  number of the Kafka partition
    clock_reset.seq        the first decision after it
    clock_reset.was        time of the last decision before
    clock_reset.became     the server's clock
    clock_reset.reset_by   the login that did it

    sale_time          when what was held was sold; for other views
    sale_time.booking  number of the booking
    sale_time.sold_at  when it was confirmed

    booking_line             the lines of bookings; for other views
    booking_line.booking     number of the booking
    booking_line.place       of the line, from 1
    booking_line.pool_index  the pool, as numbered within its resource
    booking_line.price       of a unit, in minor units
    booking_line.quantity    units
    booking_line.units       JSON array of their numbers; empty where they are only counted
    booking_line.rate        name of the rate; null: the only one

    purchase                 a customer's tickets, one row per sold unit; by customer, booking_number or resource
    purchase.customer        who has it
    purchase.resource        what it is for
    purchase.name            of the resource
    purchase.venue           of the resource
    purchase.starts_at       of the resource
    purchase.booking         id of the booking
    purchase.kind            seats, section, room, product
    purchase.pool            section, room type, or product
    purchase.night           of a room
    purchase.seat            name of the seat
    purchase.unit            number of the seat or room; null where the pool is only counted
    purchase.price           paid for it, in minor units of the currency
    purchase.rate            name of the rate, where the pool has several
    purchase.currency        ISO 4217
    purchase.payment         reference that came with the confirm
    purchase.cart            name of the cart
    purchase.created_at      when it was first held, or served from the waiting list
    purchase.meta            JSON that came with the request
    purchase.sold_at         when it was confirmed
    purchase.booking_number  of the booking, as usher.booking_number says

    availability           free, held, sold and blocked units of each pool; by resource
    availability.resource  whose pool it is
    availability.name      of the resource
    availability.state     of the resource: draft, open, closed
    availability.kind      seats, section, room, product
    availability.pool      section, room type, or product
    availability.night     of a room
    availability.free      units that nobody has; limits and quotas may allow less
    availability.held      units that are held
    availability.sold      units that are sold
    availability.blocked   units that are off sale
    availability.total     all of them, overbook included
    availability.overbook  how many of the total are more than there are
    availability.price     of a unit, in minor units of the currency
    availability.rates     JSON [["adult",4500],…] in their order
    availability.currency  ISO 4217

    waiting           the waiting lists: who is next, and what they want; by resource
    waiting.resource  what they wait for
    waiting.position  1 is next
    waiting.customer  who waits
    waiting.booking   id of the party
    waiting.items     JSON: what they want
    waiting.since     when they began to wait
    waiting.until     when they stop
    waiting.cart      name of the cart
    waiting.client    the service that asked
    waiting.wants     JSON: the whole wish

    history                 everything that ever happened: a row for each decision and booking that it made or changed
    history.decided_at      when
    history.resource        what it was about
    history.customer        whose booking it made or changed; of a refusal the answer has it
    history.op              operation of the request
    history.outcome         held, confirmed, …, refused, invalid
    history.reason          of refused and invalid ones
    history.detail          of refusals, for people
    history.booking         id of the booking
    history.total           of the booking then, in minor units of the currency
    history.currency        ISO 4217
    history.unasked         nobody asked: expiry, waiting list, closed resource, returned block
    history.replayed        a repeat of an earlier answer
    history.client          the service that asked
    history.request_id      of the request
    history.partition       of the decision
    history.seq             of the decision: (partition, seq) is the order
    history.source_offset   of the request in Kafka
    history.epoch           of the partition then
    history.answer          JSON: the body of the answer
    history.booking_number  of the booking, as usher.booking_number says
    history.units           JSON: all groups of units in the answer, taken and returned

    audit             decisions that sold units or reversed a sale; usher.audit_between has those of a time
    audit.decided_at  when
    audit.resource    what was sold
    audit.client      the service that asked
    audit.customer    who bought, or had
    audit.op          operation of the request
    audit.outcome     confirmed, exchanged, cancelled
    audit.booking     id of the booking
    audit.cart        name of the cart
    audit.amount      change of the takings, in minor units of the currency
    audit.currency    ISO 4217
    audit.payment     reference that came with the confirm
    audit.units       JSON: what was sold
    audit.returned    JSON: what came back
    audit.unasked     nobody asked: the resource was closed
    audit.cause       why, where nobody asked
    audit.request_id  of the request
    audit.partition   of the decision
    audit.seq         of the decision

    bookings                 what became of each booking; by customer, booking_number or resource
    bookings.resource        what it is for
    bookings.booking         its id: the id of the request that made it
    bookings.customer        its present owner; null: the house
    bookings.state           held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left
    bookings.units           how many it has, or had when it was over
    bookings.total           price of its units, in minor units of the currency
    bookings.currency        ISO 4217
    bookings.created_at      when it was made; of one from the waiting list, when it was served
    bookings.sold_at         when it was confirmed
    bookings.ends_at         when it ends by itself: a hold, a waiting party, a block with a time
    bookings.cart            name of the cart that it is in
    bookings.client          the service that sent it
    bookings.payment         reference that came with the confirm
    bookings.note            why it was blocked or cancelled
    bookings.meta            JSON that came with the request
    bookings.items           JSON: its units, as answers have them
    bookings.op              the operation that made it: hold, book, block
    bookings.partition       of its resource
    bookings.booking_number  as usher.booking_number says

    open_holds                 holds that are open now; by resource
    open_holds.resource        what is held
    open_holds.customer        who holds it
    open_holds.booking         id of the booking
    open_holds.units           how many units
    open_holds.total           their price, in minor units of the currency
    open_holds.currency        ISO 4217
    open_holds.held_since      when it was made, or served from the waiting list
    open_holds.ends_at         when it expires
    open_holds.cart            name of the cart
    open_holds.client          the service that asked
    open_holds.items           JSON: its units, as answers have them
    open_holds.booking_number  as usher.booking_number says

    blocks                 what the house has taken off sale; by resource
    blocks.resource        of what
    blocks.booking         id of the block: unblock names it
    blocks.note            why
    blocks.units           how many are left in it
    blocks.blocked_since   when it was made
    blocks.returns_at      when its units return by themselves; null: never
    blocks.client          the service that asked
    blocks.items           JSON: its units, as answers have them
    blocks.booking_number  as usher.booking_number says

    door_list                 who sits where: sold seats and rooms, one row each, and what bookings have of sections by capacity and products; by resource
    door_list.resource        of what
    door_list.pool            section, room type, or product
    door_list.night           of a room
    door_list.seat            name of the seat
    door_list.unit            number of the seat or room; null where the pool is only counted
    door_list.quantity        units: 1 of seats and rooms
    door_list.customer        whose they are
    door_list.booking         id of the booking
    door_list.rate            name of the rate, where the pool has several
    door_list.price           of one of them, in minor units of the currency
    door_list.currency        ISO 4217
    door_list.payment         reference that came with the confirm
    door_list.sold_at         when it was confirmed
    door_list.cart            name of the cart
    door_list.meta            JSON that came with the request
    door_list.name            of the resource
    door_list.starts_at       of the resource
    door_list.booking_number  of the booking, as usher.booking_number says

    sales           what is sold, by pool, rate and the hour in which it was; what was cancelled since is left out; by resource
    sales.resource  of what
    sales.hour      in which it was confirmed
    sales.pool      section, room type, or product
    sales.rate      name of the rate, where the pool has several
    sales.units     how many
    sales.amount    what they cost, in minor units of the currency
    sales.currency  ISO 4217

    catalogue              all resources; numbers are counted where they are selected
    catalogue.resource     its id
    catalogue.kind         seats, rooms, stock, mixed
    catalogue.name         for people
    catalogue.venue        for people
    catalogue.state        draft, open, closed
    catalogue.starts_at    of a show
    catalogue.ends_at      of a show
    catalogue.opens_at     sold from here on; null: at once
    catalogue.closes_at    … and before this; null: as long as it is open
    catalogue.timezone     IANA name
    catalogue.currency     ISO 4217
    catalogue.total        units of all its pools, overbook included
    catalogue.held         units that are held
    catalogue.sold         units that are sold
    catalogue.blocked      units that are off sale
    catalogue.waiting      parties on its waiting list
    catalogue.takings      price of all that is sold, in minor units of the currency
    catalogue.description  for people
    catalogue.hold_ttl_s   how long a hold lasts, in seconds; null: as the worker is configured
    catalogue.strategy     which seats are given first: best, first, random
    catalogue.terms        JSON {"limits":{…},"quotas":[…]}; null: none
    catalogue.chart        name of its layout; null: no seats
    catalogue.rev          seq of the last decision that changed it
    catalogue.partition    of its requests

    hall           layout of the hall of each resource that has seats
    hall.resource  whose
    hall.chart     name of the layout
    hall.layout    JSON {"sections":[{"section":…,"rows":[…]}]}

    taken_seats           seats that are held, sold or blocked; by resource
    taken_seats.resource  of what
    taken_seats.section   name of the section
    taken_seats.unit      number of the seat within the section, row by row
    taken_seats.state     held, confirmed (sold), blocked
    taken_seats.customer  whose it is; null: the house
    taken_seats.booking   id of the booking
    taken_seats.ends_at   when the hold expires, or the block returns

    refusals           requests that were refused, by operation, reason and hour; by resource
    refusals.resource  of what, as sent
    refusals.hour      in which they were refused
    refusals.op        operation of the requests
    refusals.outcome   refused, or invalid: could not be read
    refusals.reason    why
    refusals.requests  how many
    refusals.last_at   the last of them

    dead_letters                records that could not be processed, with what was answered
    dead_letters.partition      number of the Kafka partition
    dead_letters.seq            of the decision that says so
    dead_letters.source_offset  of the record in the topic of requests
    dead_letters.decided_at     when
    dead_letters.reason         why
    dead_letters.detail         what is wrong with it, for people
    dead_letters.resource       that it names, where it could be read
    dead_letters.request_id     where it could be read
    dead_letters.client         the service that sent it, where it could be read
    dead_letters.size           of the value, in bytes
    dead_letters.truncated      the record was larger than what is kept of it
    dead_letters.key            of the record
    dead_letters.value          of the record

    partitions                  who owns which partition, and where it stands
    partitions.partition        number of the Kafka partition
    partitions.owner            the worker that took it last
    partitions.connected        that worker's session is there
    partitions.epoch            how many times the partition has changed owner
    partitions.acquired_at      when its owner took it
    partitions.next_offset      of the first request in Kafka that is not decided; null: none was
    partitions.next_seq         number of the next decision
    partitions.published_seq    answers up to this decision are known to be in Kafka
    partitions.last_decided_at  time of the last decision
    partitions.halted_at        when it stopped to decide; null: it has not
    partitions.halted           why: an operator must act
    partitions.partition_count  of the topic of requests

    advance()         the guard, first statement of every batch: moves a partition on, or raises an error if it is another's (US001) or stands elsewhere (US002)
    expect()          raises an error (US003) if a statement touched another number of rows
    acquire()         takes a partition for the next epoch
    reset_clock()     sets the time of a partition back to the server's clock; for usher_owner
    booking_number()  number of a booking by its resource and id: where history, bookings and purchase go by an index
    seq_at()          the first decision of a partition at that time or later
    partition_span()  the decisions of each partition in [from, until), as ranges of seq
    audit_between()   usher.audit for [from, until), without reading what is earlier or later
    line_quantity()   units of a line of a booking
    line_units()      numbers of the units of a line of a booking; null for each that has none
    rows_of_chart()   the rows of seats of a chart
    add_seat_rows()   keeps seat_row as chart is
    $comments$, E'\n') as line
         where line ~ '\S'
    loop
        execute format('comment on %s %s is %L',
                       case when said[1] like '%()' then 'function' when said[1] like '%.%' then 'column'
                            when exists (select from pg_views where schemaname = 'usher' and viewname = said[1]) then 'view'
                            else 'table' end,
                       'usher.' || rtrim(said[1], '()'), said[2]);
    end loop;
end
$do$;
