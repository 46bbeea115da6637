-- The whole domain: exchange, transfer, blocks, waiting lists, carts, rates, limits, quotas, overbooking,
-- times of sale, and views that answer for all of it.
--
-- Why it looks as it does: a plain hold is what happens most, so it must cost no more than before. It still
-- goes into the same five indexes; all that is new is partial, and has no entry of a hold without a cart,
-- nor of the decision that made it. Days need no index: the decisions of a partition lie in the order of
-- time, so where a day begins is found by halving (a BRIN index was measured: a tenth of a hold).
--
-- No worker may run meanwhile: the types in which batches are sent grow.

set local role usher_owner;

-- ---- the catalogue -----------------------------------------------------------------------------
alter table usher.resource
    add column opens_at timestamptz,  -- hold and book only from here on …
    add column closes_at timestamptz, -- … and before this
    add column strategy text check (strategy in ('best', 'first', 'random')), -- null: best
    add column terms text,            -- JSON {"limits":{…},"quotas":[…]}; null: none
    -- Work that outlasts a batch; a new owner of the partition goes on with it.
    add column cancelling text,       -- all of its bookings are being cancelled: why; '': unsaid
    add column unserved boolean not null default false; -- a party on its waiting list may fit now

create index resource_unfinished on usher.resource (partition)
    where unserved or cancelling is not null;

alter table usher.pool
    add column overbook integer not null default 0 check (overbook >= 0), -- of capacity: the highest units
    add column rates text,      -- JSON [["adult",4500],…]; null: `price` is the only one
    add column properties text; -- JSON object

-- ---- bookings ----------------------------------------------------------------------------------
alter table usher.booking
    drop constraint booking_state_check,
    drop constraint booking_check1,
    add constraint booking_state_check
        check (state in ('held', 'confirmed', 'blocked', 'waiting',
                         'released', 'expired', 'cancelled', 'left')),
    -- A block may stay for ever.
    add constraint booking_end_check
        check (expires_at is not null or state not in ('held', 'waiting')),
    add column ttl_s integer, -- its hold time, for when its cart is used
    add column wants text;    -- JSON of what a waiting party asked for

-- What ends by itself, in that order.
drop index usher.booking_due;
create index booking_due on usher.booking (partition, expires_at, no)
    with (deduplicate_items = off) -- there are no equal ones to be found
    where state in ('held', 'blocked', 'waiting') and expires_at is not null;

-- What a customer had to do with; the holds of now are looked for among all that are open.
drop index usher.booking_customer;
create index booking_customer on usher.booking (customer, no) where state <> 'held';

create index booking_cart on usher.booking (resource_no, customer, cart, no) where cart is not null;

create index booking_waiting on usher.booking (resource_no, no) where state = 'waiting';

-- Who had a booking before it was transferred: a booking itself knows only its present owner.
create table usher.former_owner (
    customer text collate "C" not null,
    booking bigint not null,
    primary key (customer, booking)
);

-- ---- decisions ---------------------------------------------------------------------------------
-- All bookings that it changed, where there may be several: of a cart.
alter table usher.decision add column booking_nos bigint[];

-- What became of a booking. The decision that made it is found by its number, and not in here.
create index decision_booking on usher.decision (booking_no)
    where booking_no is not null and booking_no <> (partition::bigint << 48 | seq);

-- The same, by booking: an index of the lists would be one that the planner knows nothing of.
create table usher.cart_decision (
    booking bigint not null,
    partition integer not null,
    seq bigint not null,
    primary key (booking, partition, seq)
);

-- Repeats and what could not be read, by the resource that they named; first answers have an index.
create index decision_aside on usher.decision (resource) where not first and booking_no is null;

-- ---- what a batch sends -------------------------------------------------------------------------
alter type usher.resource_row
    add attribute opens_at timestamptz, add attribute closes_at timestamptz,
    add attribute strategy text, add attribute terms text,
    add attribute cancelling text, add attribute unserved boolean;

alter type usher.pool_row
    add attribute overbook integer, add attribute rates text, add attribute properties text;

-- What a hold inserts has the columns of its table, in their order: such a row goes in as it came,
-- others are taken apart and put together again.
drop type usher.booking_row, usher.decision_row;

create type usher.booking_row as (
    no bigint, partition integer, resource_no bigint, created_at timestamptz,
    expires_at timestamptz, total bigint, state text, op text, request_id text, client text,
    customer text, cart text, payment text, note text, lines text, meta text, ttl_s integer,
    wants text
);

-- What of a booking may change; `was` is the state that it must be in.
create type usher.booking_change_row as (
    no bigint, was text, state text, created_at timestamptz, expires_at timestamptz, ttl_s integer,
    total bigint, customer text, cart text, payment text, note text, wants text, lines text
);

create type usher.decision_row as (
    seq bigint, source_offset bigint, resource_no bigint, booking_no bigint,
    decided_at timestamptz, appended_at timestamptz, partition integer, epoch integer,
    codec smallint, first boolean, replayed boolean, cloud_events boolean, id_hash uuid,
    content_hash uuid, outcome text, op text, reason text, request_id text, resource text,
    key bytea, client text, traceparent text, body text, booking_nos bigint[]
);

create type usher.cart_decision_row as (booking bigint, seq bigint);

-- ---- views for people --------------------------------------------------------------------------
drop view usher.purchase, usher.availability, usher.history;

-- The name of a seat: units of a section count its seats row by row. A row's seats have names of their
-- own, or are named by the row and their numbers.
create or replace function usher.seat_name(chart_content text, section text, unit integer)
returns text
language sql stable
as $$
    select coalesce(r.names ->> (unit - r.start), concat(r.name, '-', r.first + unit - r.start))
      from (select e ->> 'row' as name,
                   e -> 'names' as names,
                   coalesce((e ->> 'first')::integer, 1) as first,
                   (e ->> 'seats')::integer as seats,
                   (sum((e ->> 'seats')::integer) over (order by place)
                       - (e ->> 'seats')::integer)::integer as start
              from json_array_elements(chart_content::json -> 'sections') as s,
                   json_array_elements(s -> 'rows') with ordinality as x (e, place)
             where s ->> 'section' = section) as r
     where unit >= r.start and unit < r.start + r.seats
$$;

-- The number of a booking, by which the index of its history goes. The owner's rights, since who
-- reads views may not read tables.
create function usher.booking_number(p_resource text, p_booking text) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select d.booking_no
      from usher.resource as r
      join usher.decision as d
        on d.resource_no = r.no and d.first
       and d.id_hash = encode(substr(sha256(convert_to(p_booking, 'UTF8')), 1, 16), 'hex')::uuid
     where r.id = p_resource and d.request_id = p_booking
       and d.booking_no = (d.partition::bigint << 48 | d.seq)
$$;

-- The first seq of a partition that was decided at that time or later; next_seq: none was. Times never
-- go back within a partition.
create function usher.seq_at(p_partition integer, p_at timestamptz) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    before bigint := 0; -- what is up to here was decided earlier
    found_seq bigint;   -- what is from here on was not
    middle bigint;
    at timestamptz;
begin
    select next_seq into found_seq from usher.partition_state where partition = p_partition;
    while found_seq - before > 1 loop
        middle := (before + found_seq) / 2;
        select d.decided_at into at
          from usher.decision as d
         where d.partition = p_partition and d.seq >= middle order by d.seq limit 1;
        if at < p_at then
            before := middle;
        else
            found_seq := middle;
        end if;
    end loop;
    return found_seq;
end
$$;

create function usher.partition_span(
    p_from timestamptz, p_until timestamptz,
    out partition integer, out first_seq bigint, out end_seq bigint
) returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select s.partition, usher.seq_at(s.partition, p_from), usher.seq_at(s.partition, p_until)
      from usher.partition_state as s
$$;

-- A customer's tickets, one row each.
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
            then usher.seat_name(c.content, p.name, u.unit::integer) end as seat,
       u.unit::integer as unit,
       (l.line ->> 2)::bigint as price,
       l.line ->> 5 as rate,
       r.currency,
       b.payment,
       b.cart,
       b.created_at,
       b.meta::json as meta
  from usher.booking as b
  join usher.resource as r on r.no = b.resource_no
  left join usher.chart as c on c.partition = r.partition and c.hash = r.chart
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral json_array_elements_text(l.line -> 3) as u (unit)
-- Looked up one by one: what was loaded just now has no statistics, and all pools of a hotel would be read
-- for each of its bookings.
 cross join lateral (
     select * from usher.pool
      where resource_no = b.resource_no and index = (l.line ->> 1)::integer offset 0) as p
 where b.state = 'confirmed';

-- What is free, held, sold and blocked of each pool. Limits and quotas may allow less than is free.
create view usher.availability as
select r.id as resource,
       r.name,
       r.state,
       p.kind,
       p.name as pool,
       p.night,
       p.capacity - t.held - t.sold - t.blocked as free,
       t.held,
       t.sold,
       t.blocked,
       p.capacity::bigint as total,
       p.overbook,
       p.price,
       p.rates::json as rates,
       r.currency
  from usher.pool as p
  join usher.resource as r on r.no = p.resource_no
 cross join lateral (
     select count(*) filter (where b.state = 'held') as held,
            count(*) filter (where b.state = 'confirmed') as sold,
            count(*) filter (where b.state = 'blocked') as blocked
       from usher.allocation as a
       join usher.booking as b on b.no = a.booking
      where a.pool = p.no) as t
 where p.capacity > 0;

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
  join usher.resource as r on r.no = b.resource_no
 where b.state = 'waiting';

-- All that ever happened, in the order of a partition: (partition, seq). One row for each decision and
-- booking that it made or changed: so a cart's has several, and a transfer's one for each customer.
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
          join usher.resource as r on r.no = b.resource_no and r.no = d.resource_no
         where b.state <> 'held' or b.state = 'held' and b.expires_at is not null
        union all
        -- what became of it
        select d.*, r.id, b.customer, b.request_id, b.no
          from usher.booking as b
          join usher.decision as made
            on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
           and (made.partition::bigint << 48 | made.seq) = b.no and made.first
          join usher.resource as r on r.no = b.resource_no and r.no = made.resource_no
          join usher.decision as d
            on d.booking_no = b.no and d.booking_no <> (d.partition::bigint << 48 | d.seq)
           and d.booking_nos is null
         where b.state <> 'held' or b.state = 'held' and b.expires_at is not null
        union all
        -- … together with others
        select d.*, r.id, b.customer, b.request_id, b.no
          from usher.booking as b
          join usher.decision as made
            on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
           and (made.partition::bigint << 48 | made.seq) = b.no and made.first
          join usher.resource as r on r.no = b.resource_no and r.no = made.resource_no
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
          join usher.resource as r on r.no = b.resource_no
        union all
        -- what concerned no booking: the catalogue, refusals
        select d.*, r.id, null, null, null
          from usher.decision as d
          join usher.resource as r on r.no = d.resource_no
         where d.first and d.booking_no is null and d.booking_nos is null
        union all
        -- repeats, and what could not be read
        select d.*, d.resource, null, null, null
          from usher.decision as d
         where not d.first and d.booking_no is null and d.booking_nos is null) as x
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
   -- A hold that is exchanged is no sale. (Counted, since `exists` might be answered by a hash of all.)
   and (d.outcome <> 'exchanged'
        or (select count(*) from usher.decision as s
             where s.partition = d.partition and s.seq = (d.booking_no & ((1::bigint << 48) - 1))
               and s.outcome = 'confirmed') > 0
        or (select count(*) from usher.decision as s
             where s.booking_no = d.booking_no
               and s.booking_no <> (s.partition::bigint << 48 | s.seq)
               and s.outcome = 'confirmed' and s.seq < d.seq) > 0
        or (select count(*) from usher.cart_decision as c
              join usher.decision as s on s.partition = c.partition and s.seq = c.seq
             where c.booking = d.booking_no and s.outcome = 'confirmed' and s.seq < d.seq) > 0);

-- The same for [p_from, p_until), without reading what was decided before or after.
create function usher.audit_between(p_from timestamptz, p_until timestamptz) returns setof usher.audit
language plpgsql stable set jit = off
as $$
declare
    span record;
begin
    for span in select * from usher.partition_span(p_from, p_until) loop
        return query
            select * from usher.audit
             where partition = span.partition and seq >= span.first_seq and seq < span.end_seq;
    end loop;
end
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.booking_number, usher.seq_at, usher.partition_span,
    usher.audit_between from public;

grant update (opens_at, closes_at, strategy, terms, cancelling, unserved) on usher.resource
    to usher_worker;
grant update (overbook, rates, properties) on usher.pool to usher_worker;
grant update (created_at, ttl_s, wants) on usher.booking to usher_worker;
grant select, insert on usher.former_owner, usher.cart_decision to usher_worker;

grant select on usher.purchase, usher.availability, usher.waiting, usher.history, usher.audit
    to usher_reader, usher_worker;
grant execute on function usher.booking_number, usher.partition_span, usher.audit_between
    to usher_reader, usher_worker;
