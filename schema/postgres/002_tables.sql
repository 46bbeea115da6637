-- The tables, and what a batch sends to them.
--
-- Why they look as they do: each partition has one writer, which decides in memory and writes its decisions here in
-- batches, one transaction a batch, fenced by usher.advance. So there are no foreign keys, no sequences and, but for charts,
-- no triggers (each would cost time for every row): numbers come from the log, and what foreign keys would watch over is
-- the business of the guard, of the counts that every change must meet, of the primary key of usher.allocation, and of
-- `reconcile`. A plain hold is what happens most: it goes into six indexes (three keys, booking_due, booking_claims,
-- decision_first), and all others are partial, with no entry of a hold without a cart, nor of the decision that made it.
--
-- Numbers of resources and bookings are partition << 48 | seq of the decision that made them; numbers of pools are
-- partition << 48 | n. Times are the batch's own, in milliseconds.

set local role usher_owner;

-- ---- databases ---------------------------------------------------------------------------------
-- The name of this database among several. No row: it is the only one, and all partitions live in it.
create table usher.shard (
    name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    named_at timestamptz not null default clock_timestamp(),
    named_by text not null default session_user
);

create unique index shard_only on usher.shard ((true));

-- ---- partitions --------------------------------------------------------------------------------
-- Where each partition stands. Written only by usher.acquire and usher.advance, and by what operators call.
create table usher.partition_state (
    partition integer primary key,
    partition_count integer not null, -- keys are hashed with it; the same in every row
    epoch integer not null default 0, -- how often it changed owner: the fencing token
    next_offset bigint,               -- of the request log; null: never started
    next_seq bigint not null default 1,
    now timestamptz,                  -- the last batch's time: it never goes back by itself
    published_seq bigint not null default 0, -- all up to here are in the result log
    published_result_offset bigint,          -- where that one is
    fingerprint_offset bigint,        -- the last record consumed, and a hash of it: a topic made
    fingerprint bigint,               -- anew would have another there
    owner text,
    backend_pid integer,              -- the owner's connection, so that a successor can end it
    backend_start timestamptz,
    acquired_at timestamptz,
    shard text collate "C",           -- where it lives, and to where it moves: see 004_moves.sql
    destination text collate "C",
    holds bigint check (holds >= 0),  -- that are open. Null: the next owner counts them
    parties bigint check (parties >= 0), -- that wait, likewise
    check (partition >= 0 and partition < partition_count),
    check (next_offset >= 0),
    check (published_seq >= 0 and published_seq < next_seq)
)
-- One row a partition, written with every batch: with room on the page each new version is a
-- heap-only one, which later batches clean up themselves. Truncating such a table would only make
-- the batches wait for a lock.
with (fillfactor = 10, vacuum_truncate = off);

-- Why a worker stopped to decide: it holds as long as the partition is in that epoch. A halt is over when a person said so,
-- or when somebody took the partition since.
create table usher.partition_halt (
    partition integer not null,
    epoch integer not null,
    halted_at timestamptz not null default clock_timestamp(),
    next_offset bigint,
    reason text not null,
    resumed_at timestamptz,
    resumed_by text,
    primary key (partition, epoch)
);

-- Requests that an operator passed over. Where both offsets are equal: decisions that were lost.
create table usher.partition_skip (
    partition integer not null,
    epoch integer not null,      -- that began with it
    from_offset bigint,          -- null: the start of the log
    to_offset bigint not null,   -- decided from here on
    records bigint not null,     -- of them Kafka still had so many
    next_seq bigint not null,
    reason text not null,
    skipped_at timestamptz not null default clock_timestamp(),
    skipped_by text not null default session_user,
    placeholders bigint not null default 0, -- answers published in the place of decisions that are gone; `records` is 0 then
    primary key (partition, epoch)
);

-- Topics that an operator accepted as new ones.
create table usher.partition_topic (
    partition integer not null,
    epoch integer not null,         -- that began with it
    topics text not null check (topics in ('requests', 'results', 'both')),
    next_offset bigint,             -- where it stood in the requests; null: nowhere yet
    next_seq bigint not null,
    published_seq bigint not null,  -- what comes behind it is published from then on
    reason text not null,
    accepted_at timestamptz not null default clock_timestamp(),
    accepted_by text not null default session_user,
    primary key (partition, epoch)
);

-- Where an operator set the clock of a partition back: searches by time look on both sides.
create table usher.clock_reset (
    partition integer not null,
    seq bigint not null,              -- the first decision after it
    was timestamptz not null,         -- `now` before it
    became timestamptz not null,      -- `now` after it: the server's clock
    reset_by text not null default session_user,
    primary key (partition, seq)
);

-- What is long over can be pruned: closed resources with all that belongs to them. A row remains of each, which says how
-- many decisions are gone, so that it is still proved that no other is missing.
create table usher.pruned (
    resource_no bigint primary key,
    partition integer not null,
    resource text collate "C" not null,
    epoch integer not null,       -- that began with it: what is decided from then on does not know the resource
    ended_at timestamptz not null,
    last_seq bigint not null,     -- none of its decisions was behind this one
    decisions bigint not null,
    bookings bigint not null,
    dead_letters bigint not null,
    pruned_at timestamptz not null default clock_timestamp(),
    pruned_by text not null default session_user,
    hidden_at timestamptz         -- when its keys in Redis were deleted; null: they were not yet
);

create index pruned_shown on usher.pruned (partition) where hidden_at is null;

-- ---- the catalogue -----------------------------------------------------------------------------
-- Keyed by partition: two partitions that insert the same chart would wait for each other.
create table usher.chart (
    partition integer not null,
    hash text collate "C" not null, -- sha256:… of the content
    content text not null,          -- canonical JSON; text, because its bytes are hashed
    primary key (partition, hash)
);

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
    places text[],             -- of its seats for people, where the names are not for them
    primary key (partition, chart, section, start)
);

-- Each section is taken apart once: a section may have 13,200 rows.
create function usher.rows_of_chart(p_partition integer, p_hash text, p_content text) returns setof usher.seat_row
language sql stable
as $$
    with section as materialized (
        select s.section ->> 'section' as name, s.section -> 'rows' as lines, s.place
          from json_array_elements(p_content::json -> 'sections') with ordinality as s (section, place)
         where json_typeof(s.section -> 'rows') = 'array')
    select p_partition, p_hash, x.section,
           (sum(x.seats) over (partition by x.section_place order by x.place) - x.seats)::integer,
           x.seats, x.line ->> 'row', coalesce((x.line ->> 'first')::integer, 1),
           case when json_typeof(x.line -> 'names') = 'array'
                then array(select json_array_elements_text(x.line -> 'names')) end,
           case when json_typeof(x.line -> 'numbers') = 'array'
                then array(select concat_ws(', ', x.line ->> 'zone', 'row ' || nullif(x.line ->> 'row', ''), 'seat ' || n)
                             from json_array_elements_text(x.line -> 'numbers') as n) end
      from (select section.name as section, section.place as section_place, r.line, r.place,
                   (r.line ->> 'seats')::integer as seats
              from section
             cross join lateral json_array_elements(section.lines) with ordinality as r (line, place)) as x
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

create trigger add_seat_rows after insert on usher.chart referencing new table as added
    for each statement execute function usher.add_seat_rows();

create table usher.resource (
    no bigint primary key,
    partition integer not null,
    id text collate "C" not null unique, -- the key of its records
    state text not null check (state in ('draft', 'open', 'closed')),
    name text,
    venue text,
    description text,
    timezone text,
    currency text,
    starts_at timestamptz,
    ends_at timestamptz,
    hold_ttl_s bigint,
    rev bigint not null, -- seq of the last decision that changed it
    chart text collate "C",
    opens_at timestamptz,  -- hold and book only from here on …
    closes_at timestamptz, -- … and before this
    strategy text check (strategy in ('best', 'first', 'random')), -- null: best
    terms text,            -- JSON {"limits":{…},"quotas":[…]}; null: none
    -- Work that outlasts a batch; a new owner of the partition goes on with it.
    cancelling text,       -- all of its bookings are being cancelled: why; '': unsaid
    unserved boolean not null default false, -- a party on its waiting list may fit now
    -- What all that is sold costs, and all that is held: kept by every batch that changes one of its bookings. Both together
    -- stay below 2^53, so that every sum of a resource is exact in JavaScript, too.
    takings bigint not null default 0 check (takings >= 0),
    promised bigint not null default 0 check (promised >= 0),
    -- Units held and sold at each rate of the pools that a quota of a rate has, by index of the pool: {"0":{"early":12},…}. Kept
    -- from before the first of these units is sold; null: no such pool. Reading all bookings to count them would take long.
    by_rate text,
    check (no >> 48 = partition),
    -- Loads name the partition too, so that they stay right when partitions get databases of
    -- their own.
    unique (partition, id)
)
-- Each batch writes the resources that it sold from. In a page with room a row's next version goes beside it and no
-- index hears of it; in full pages, nine of ten versions cost three entries.
with (fillfactor = 50);

-- Which resources have work left, in their order, so that they can be read page by page.
create index resource_unfinished on usher.resource (partition, no)
    where unserved or cancelling is not null;

-- A pool that was removed keeps its row, with capacity 0: old bookings refer to it. Sections by capacity and products are
-- counted, since nobody asks which of their units one gets: three counters, where seats and rooms have allocations.
create table usher.pool (
    no bigint primary key,
    resource_no bigint not null,
    index integer not null check (index >= 0), -- in its resource; bookings' lines refer to it
    kind text not null check (kind in ('seats', 'section', 'room', 'product')),
    name text not null,
    night date check ((night is not null) = (kind = 'room')),
    title text,
    capacity integer not null check (capacity >= 0),
    price bigint not null check (price >= 0),
    overbook integer not null default 0 check (overbook >= 0), -- of capacity: the highest units
    over integer not null default 0 check (over >= 0 and (over = 0 or kind <> 'seats' and capacity > 0)), -- beyond it
    rates text,      -- JSON [["adult",4500],…]; null: `price` is the only one
    properties text, -- JSON object
    restrictions text, -- of a room: JSON [{"min_stay_arrival":7},…], the stay restrictions of its date; null: none
    spares boolean not null default true, -- seats with the feature accessible are taken last by those who need none
    held integer not null default 0,
    sold integer not null default 0,
    blocked integer not null default 0,
    unique (resource_no, index),
    -- The last line of defence: no more are taken than there are. Those that may be overbooked are part of the capacity;
    -- what the house takes beyond it is written with its counters, and nothing else writes it.
    constraint pool_taken_check
        check (held >= 0 and sold >= 0 and blocked >= 0
               and held::bigint + sold + blocked
                   <= case when kind in ('section', 'product') then capacity::bigint + over else 0 end)
)
-- Each batch writes the pools that it sold from, as it does the resources.
with (fillfactor = 50);

-- ---- bookings ----------------------------------------------------------------------------------
-- A change of state moves a booking into or out of the partial indexes below, so heap-only updates
-- are not to be had, and the pages are filled.
create table usher.booking (
    no bigint primary key,
    partition integer not null,
    resource_no bigint not null,
    created_at timestamptz not null,
    expires_at timestamptz, -- null: does not expire
    total bigint not null check (total >= 0),
    state text not null
        check (state in ('held', 'confirmed', 'blocked', 'waiting', 'released', 'expired', 'cancelled', 'left')),
    op text not null,         -- of the request that made it
    request_id text not null, -- its id: the booking's name within the resource
    client text,
    customer text collate "C",
    cart text,
    payment text,
    note text,
    lines text not null, -- JSON [[item, pool index, price, units, …], …]: kept after they went
    meta text,           -- JSON as it came
    ttl_s integer,       -- its hold time, for when its cart is used
    wants text,          -- JSON of what a waiting party asked for
    sold_at timestamptz, -- null: it was not
    check (no >> 48 = partition),
    -- A block may stay for ever.
    constraint booking_end_check
        check (expires_at is not null or state not in ('held', 'waiting'))
);

-- What ends by itself, in that order.
create index booking_due on usher.booking (partition, expires_at, no)
    with (deduplicate_items = off) -- there are no equal ones to be found
    where state in ('held', 'blocked', 'waiting') and expires_at is not null;

-- What a customer had to do with; the holds of now are looked for among all that are open.
create index booking_customer on usher.booking (customer, no) where state <> 'held';

-- Finds a cart in one resource, as the worker asks, and in all of them.
create index booking_cart on usher.booking (cart, customer, resource_no, no) where cart is not null;

-- Carts that were sold of late: each minute a worker counts those that are sold only in part.
create index booking_cart_sold on usher.booking (sold_at) where cart is not null and sold_at is not null;

create index booking_waiting on usher.booking (resource_no, no) where state = 'waiting';

-- What is loaded of a resource is found without a look at each of its bookings: the numbered units of these are not sold,
-- though allocated; all others are. It is small, for a hold ends soon.
create index booking_claims on usher.booking (resource_no, no) where state in ('held', 'blocked');

-- Who had a booking before it was transferred: a booking itself knows only its present owner.
create table usher.former_owner (
    customer text collate "C" not null,
    booking bigint not null,
    primary key (customer, booking)
);

-- Who has a seat, or a room of a night. The primary key is what forbids a second one, whatever went wrong before: rows
-- are inserted without ON CONFLICT. Rows are as narrow as can be, never updated, so pages are
-- filled, but the key's pages leave room for units that come back between others.
create table usher.allocation (
    pool bigint not null,
    booking bigint not null,
    unit integer not null check (unit >= 0),
    primary key (pool, unit) with (fillfactor = 80)
)
-- Units that were given back leave dead rows behind; on a big table the usual fifth is far too
-- many. Truncation would make the batches wait for a lock.
with (autovacuum_vacuum_scale_factor = 0.02, vacuum_truncate = off);

-- The units of a booking's line: [item, pool index, price, units, …], where units are their numbers, or their quantity.
create function usher.line_quantity(p_line json) returns bigint
language sql immutable
as $$
    select case when json_typeof(p_line -> 3) = 'array' then json_array_length(p_line -> 3)
                else (p_line ->> 3)::bigint end
$$;

-- The numbers of a line's units; null for each that has none.
create function usher.line_units(p_line json) returns setof integer
language sql immutable rows 4
as $$
    select u.unit::integer
      from json_array_elements_text(case when json_typeof(p_line -> 3) = 'array' then p_line -> 3 else '[]' end)
               as u (unit)
    union all
    select null
      from generate_series(1, case when json_typeof(p_line -> 3) = 'number' then (p_line ->> 3)::bigint end)
$$;

-- ---- decisions ---------------------------------------------------------------------------------
-- Every request's answer, in the order decided: history and outbox at once. Only ever inserted.
-- Columns of fixed size first, so that none of them is padded or searched for. Days need no index: the decisions of a
-- partition lie in the order of time, so where a day begins is found by halving (a BRIN index was measured: a tenth of a
-- hold).
create table usher.decision (
    seq bigint not null check (seq > 0),
    source_offset bigint, -- null: nobody asked (expiry)
    resource_no bigint,   -- null: there is no such resource
    booking_no bigint,    -- what it made or changed
    decided_at timestamptz not null,
    appended_at timestamptz,
    partition integer not null,
    epoch integer not null,
    codec smallint not null, -- version of the encoding of `body`
    first boolean not null,  -- the first answer to its request id: repeats repeat this one
    replayed boolean not null,
    cloud_events boolean not null,
    -- The first 16 bytes of a SHA-256. As uuid: 16 bytes of fixed size, without a length and
    -- compared by memcmp, which makes the index below a third smaller than a text or bytea one.
    id_hash uuid not null,
    content_hash uuid not null,
    outcome text not null check (outcome <> ''),
    op text,
    reason text,
    request_id text check (request_id is not null or not first),
    resource text,
    key bytea, -- of the result record; null: none
    client text,
    traceparent text,
    body text not null check (octet_length(body) <= 524288),
    booking_nos bigint[], -- all bookings that it changed, where there may be several: of a cart, or of a transfer of a part
    primary key (partition, seq),
    check (resource_no is not null or not first)
)
-- Rows are inserted for ever and never change: frozen early, in small steps, not all at once when
-- the transaction ids run out.
with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_freeze_min_age = 0);

-- By a hash, not the id: half the cost at batch size. The id itself is compared on a hit.
create unique index decision_first on usher.decision (resource_no, id_hash) where first;

-- What became of a booking. The decision that made it is found by its number, and not in here.
create index decision_booking on usher.decision (booking_no)
    where booking_no is not null and booking_no <> (partition::bigint << 48 | seq);

-- Repeats and what could not be read, by the resource that they named; first answers have an index.
create index decision_aside on usher.decision (resource) where not first and booking_no is null;

-- Decisions about several bookings, by booking: an index of the lists would be one that the planner knows nothing of.
create table usher.cart_decision (
    booking bigint not null,
    partition integer not null,
    seq bigint not null,
    primary key (booking, partition, seq)
);

create table usher.dead_letter (
    partition integer not null,
    seq bigint not null, -- of its decision
    source_offset bigint not null,
    truncated boolean not null,
    reason text not null,
    key bytea,
    value bytea,
    primary key (partition, seq)
);

-- ---- sums ----------------------------------------------------------------------------------------
-- What each resource sold, took back and refused in each quarter of an hour, by rate and client: kept by every batch. What was
-- taken today is the sum of few rows. A day begins at midnight of the place, and that lies between two quarters everywhere:
-- India is 5:30 ahead of UTC, Nepal 5:45.
create table usher.quarter (
    resource_no bigint not null,   -- partition << 48: of requests for no known resource
    began_at timestamptz not null,
    outcome text collate "C" not null check (outcome in ('sold', 'cancelled', 'exchanged', 'refused')),
    rate text collate "C" not null,    -- of what was refused, the reason; '': none, or one of too many
    client text collate "C" not null,  -- that made the booking, or the request; '': none, or one of too many
    bookings bigint not null,          -- or requests that were refused; each counts once, with the first of its rates
    units bigint not null,             -- negative if they came back
    amount numeric not null,           -- in minor units; a sum of what came and went over and over has no other bound
    primary key (resource_no, began_at, outcome, rate, client)
)
-- The rows of this quarter are written by every batch that sells: the next version goes beside the last one.
with (fillfactor = 50);

create index quarter_began on usher.quarter (began_at);

-- ---- what a batch sends -------------------------------------------------------------------------
-- Rows come as one array of a composite type: unnest of it costs a third less than of an array for
-- each column. Types of their own, not the tables', so that a table can grow a column beside a
-- worker that does not know it.
create type usher.allocation_row as (pool bigint, booking bigint, unit integer);

-- What a hold inserts has the columns of its table, in their order: such a row goes in as it came,
-- others are taken apart and put together again.
create type usher.new_booking_row as (
    no bigint, partition integer, resource_no bigint, created_at timestamptz,
    expires_at timestamptz, total bigint, state text, op text, request_id text, client text,
    customer text, cart text, payment text, note text, lines text, meta text, ttl_s integer,
    wants text, sold_at timestamptz
);

-- What of a booking may change; `was` is the state that it must be in.
create type usher.booking_change_row as (
    no bigint, was text, state text, created_at timestamptz, expires_at timestamptz, ttl_s integer,
    total bigint, customer text, cart text, payment text, note text, wants text, lines text
);

create type usher.chart_row as (hash text, content text);

create type usher.resource_row as (
    no bigint, id text, state text, name text, venue text, description text, timezone text,
    currency text, starts_at timestamptz, ends_at timestamptz, hold_ttl_s bigint, rev bigint,
    chart text, opens_at timestamptz, closes_at timestamptz, strategy text, terms text, cancelling text, unserved boolean,
    takings bigint, promised bigint, by_rate text
);

-- What selling changes of a resource: few of its columns, so the others are not sent along.
create type usher.resource_mark_row as (
    no bigint, rev bigint, cancelling text, unserved boolean, takings bigint, promised bigint,
    by_rate text -- null: as it was
);

create type usher.pool_row as (
    no bigint, resource_no bigint, index integer, kind text, name text, night date, title text,
    capacity integer, price bigint, overbook integer, over integer, rates text, properties text, restrictions text,
    spares boolean, held integer, sold integer, blocked integer
);

create type usher.pool_change_row as (
    no bigint, resource_no bigint, index integer, kind text, title text, capacity integer, price bigint,
    overbook integer, over integer, rates text, properties text, restrictions text, spares boolean, was_held integer,
    was_sold integer, was_blocked integer, held integer, sold integer, blocked integer
);

create type usher.pool_move_row as (
    no bigint, was_held integer, was_sold integer, was_blocked integer, held integer, sold integer, blocked integer
);

create type usher.decision_row as (
    seq bigint, source_offset bigint, resource_no bigint, booking_no bigint,
    decided_at timestamptz, appended_at timestamptz, partition integer, epoch integer,
    codec smallint, first boolean, replayed boolean, cloud_events boolean, id_hash uuid,
    content_hash uuid, outcome text, op text, reason text, request_id text, resource text,
    key bytea, client text, traceparent text, body text, booking_nos bigint[]
);

create type usher.cart_decision_row as (booking bigint, seq bigint);

create type usher.dead_letter_row as (
    seq bigint, source_offset bigint, truncated boolean, reason text, key bytea, value bytea
);

create type usher.quarter_row as (
    resource_no bigint, began_at timestamptz, outcome text, rate text, client text, bookings bigint, units bigint, amount bigint
);

-- ---- permissions -------------------------------------------------------------------------------
-- The worker: reads, inserts, the changes that bookings and the catalogue go through, and the
-- return of units. No deletion of anything else, no change of a decision, no way past the guard to
-- the partition's row.
revoke execute on function usher.rows_of_chart, usher.add_seat_rows, usher.line_quantity, usher.line_units from public;

grant select on all tables in schema usher to usher_worker;
grant insert on usher.chart, usher.resource, usher.pool, usher.booking, usher.former_owner, usher.allocation,
    usher.decision, usher.cart_decision, usher.dead_letter, usher.quarter, usher.partition_halt to usher_worker;
grant update (state, name, venue, description, timezone, currency, starts_at, ends_at, hold_ttl_s, rev, chart, opens_at,
    closes_at, strategy, terms, cancelling, unserved, takings, promised, by_rate) on usher.resource to usher_worker;
grant update (kind, title, capacity, price, overbook, over, rates, properties, restrictions, spares, held, sold, blocked)
    on usher.pool to usher_worker;
grant update (state, customer, cart, payment, note, created_at, expires_at, total, lines, ttl_s, wants, sold_at)
    on usher.booking to usher_worker;
grant update (bookings, units, amount) on usher.quarter to usher_worker;
grant delete on usher.allocation to usher_worker;
grant execute on function usher.line_quantity, usher.line_units to usher_worker;
grant select on usher.shard to usher_reader;
