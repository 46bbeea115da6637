-- The record of usher: who holds what, every answer given, and how far each partition is done.
--
-- Why it looks as it does: each partition has one writer, which decides in memory and writes its
-- decisions here in batches, one transaction a batch, fenced by usher.advance. So there are no
-- triggers, no foreign keys and no sequences (each would cost time for every row): numbers come
-- from the log, and what foreign keys would watch over is the business of the guard, of the counts
-- that every change must meet, of the primary key of usher.allocation, and of `reconcile`.
--
-- Numbers of resources and bookings are partition << 48 | seq of the decision that made them;
-- numbers of pools are partition << 48 | n. Times are the batch's own, in milliseconds.

-- ---- roles -------------------------------------------------------------------------------------
-- They belong to the whole server, and passwords are the deployment's business: roles are made
-- here only where they are missing, without login.
do $$
declare
    missing text;
begin
    for missing in
        select name
          from unnest(array['usher_owner', 'usher_worker', 'usher_reader']) as name
         where to_regrole(name) is null
    loop
        execute format('create role %I', missing);
    end loop;
    if not pg_has_role('usher_owner', 'member') then
        execute format('grant usher_owner to %I', current_user);
    end if;
exception
    when insufficient_privilege then
        raise exception using
            errcode = 'insufficient_privilege',
            message = 'could not make the roles usher_owner, usher_worker and usher_reader',
            hint = format('Run as an administrator: create role usher_owner; '
                          'create role usher_worker; create role usher_reader; '
                          'grant usher_owner to %I;', current_user);
end
$$;

create schema usher authorization usher_owner;

-- Everything belongs to the owner, whoever migrates.
set local role usher_owner;

comment on schema usher is 'hands out scarce units: bookings, allocations, decisions';

-- ---- migrations --------------------------------------------------------------------------------
create table usher.schema_migration (
    version integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp(),
    applied_by text not null default session_user
);

-- ---- partitions --------------------------------------------------------------------------------
-- Where each partition stands. Written only by usher.acquire and usher.advance.
create table usher.partition_state (
    partition integer primary key,
    partition_count integer not null, -- keys are hashed with it; the same in every row
    epoch integer not null default 0, -- how often it changed owner: the fencing token
    next_offset bigint,               -- of the request log; null: never started
    next_seq bigint not null default 1,
    now timestamptz,                  -- the last batch's time: it never goes back
    published_seq bigint not null default 0, -- all up to here are in the result log
    published_result_offset bigint,          -- where that one is
    fingerprint_offset bigint,        -- the last record consumed, and a hash of it: a topic made
    fingerprint bigint,               -- anew would have another there
    owner text,
    backend_pid integer,              -- the owner's connection, so that a successor can end it
    backend_start timestamptz,
    acquired_at timestamptz,
    check (partition >= 0 and partition < partition_count),
    check (next_offset >= 0),
    check (published_seq >= 0 and published_seq < next_seq)
)
-- One row a partition, written with every batch: with room on the page each new version is a
-- heap-only one, which later batches clean up themselves. Truncating such a table would only make
-- the batches wait for a lock.
with (fillfactor = 10, vacuum_truncate = off);

-- ---- the catalogue -----------------------------------------------------------------------------
-- Keyed by partition: two partitions that insert the same chart would wait for each other.
create table usher.chart (
    partition integer not null,
    hash text collate "C" not null, -- sha256:… of the content
    content text not null,          -- canonical JSON; text, because its bytes are hashed
    primary key (partition, hash)
);

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
    check (no >> 48 = partition),
    -- Loads name the partition too, so that they stay right when partitions get databases of
    -- their own.
    unique (partition, id)
);

-- A pool that was removed keeps its row, with capacity 0: old bookings refer to it.
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
    unique (resource_no, index)
);

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
        check (state in ('held', 'confirmed', 'released', 'expired', 'cancelled')),
    op text not null,         -- of the request that made it
    request_id text not null, -- its id: the booking's name within the resource
    client text,
    customer text collate "C",
    cart text,
    payment text,
    note text,
    lines text not null, -- JSON [[item, pool index, price, [units…]], …]: kept after they went
    meta text,           -- JSON as it came
    check (no >> 48 = partition),
    check (state <> 'held' or expires_at is not null)
);

-- Holds in the order in which they come due.
create index booking_due on usher.booking (partition, expires_at, no) where state = 'held';
-- What a customer bought.
create index booking_customer on usher.booking (customer, no) where state = 'confirmed';

-- Who has a unit. The primary key is what forbids a second one, whatever went wrong before: rows
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

-- ---- decisions ---------------------------------------------------------------------------------
-- Every request's answer, in the order decided: history and outbox at once. Only ever inserted.
-- Columns of fixed size first, so that none of them is padded or searched for.
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
    primary key (partition, seq),
    check (resource_no is not null or not first)
)
-- Rows are inserted for ever and never change: frozen early, in small steps, not all at once when
-- the transaction ids run out.
with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_freeze_min_age = 0);

-- By a hash, not the id: half the cost at batch size. The id itself is compared on a hit.
create unique index decision_first on usher.decision (resource_no, id_hash) where first;

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

-- ---- what a batch sends -------------------------------------------------------------------------
-- Rows come as one array of a composite type: unnest of it costs a third less than of an array for
-- each column. Types of their own, not the tables', so that a table can grow a column beside a
-- worker that does not know it.
create type usher.allocation_row as (pool bigint, booking bigint, unit integer);

create type usher.booking_row as (
    no bigint, resource_no bigint, state text, was text, -- the state that a changed row must be in
    created_at timestamptz, expires_at timestamptz, total bigint, op text, request_id text,
    client text, customer text, cart text, payment text, note text, lines text, meta text
);

create type usher.chart_row as (hash text, content text);

create type usher.resource_row as (
    no bigint, id text, state text, name text, venue text, description text, timezone text,
    currency text, starts_at timestamptz, ends_at timestamptz, hold_ttl_s bigint, rev bigint,
    chart text
);

create type usher.pool_row as (
    no bigint, resource_no bigint, index integer, kind text, name text, night date, title text,
    capacity integer, price bigint
);

create type usher.decision_row as (
    seq bigint, source_offset bigint, resource_no bigint, booking_no bigint,
    decided_at timestamptz, appended_at timestamptz, epoch integer, codec smallint,
    first boolean, replayed boolean, cloud_events boolean, id_hash uuid, content_hash uuid,
    outcome text, op text, reason text, request_id text, resource text, key bytea, client text,
    traceparent text, body text
);

create type usher.dead_letter_row as (
    seq bigint, source_offset bigint, truncated boolean, reason text, key bytea, value bytea
);

-- ---- the guard ---------------------------------------------------------------------------------
-- SQLSTATEs of its own:
--   US001  the partition has another owner now
--   US002  the partition does not stand where the batch begins
--   US003  a row is not as the batch expects it: a bug, or a foreign hand
--   US004  another partition count is recorded

-- Begins every batch: locks the partition's row, checks who writes and where the batch begins, and
-- moves the partition to where it ends. Raises otherwise: an update of no row would let the rest
-- of the batch run. The owner's rights, so that a worker has no other way to write the row.
create function usher.advance(
    p_partition integer, p_epoch integer,
    p_expected_offset bigint, p_expected_seq bigint,
    p_next_offset bigint, p_next_seq bigint,
    p_now timestamptz,
    p_fingerprint_offset bigint, p_fingerprint bigint,
    p_published_seq bigint, p_published_result_offset bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
begin
    -- Each batch moves, so that the same batch cannot begin twice at one place.
    if p_next_seq < p_expected_seq
        or coalesce(p_next_offset, -1) < coalesce(p_expected_offset, -1)
        or (p_next_seq = p_expected_seq
            and p_next_offset is not distinct from p_expected_offset)
    then
        raise exception 'partition %: a batch must move on from offset % seq %, not to % and %',
            p_partition, p_expected_offset, p_expected_seq, p_next_offset, p_next_seq
            using errcode = 'US003';
    end if;

    update usher.partition_state
       set next_offset = p_next_offset,
           next_seq = p_next_seq,
           now = greatest(now, p_now),
           fingerprint_offset = p_fingerprint_offset,
           fingerprint = p_fingerprint,
           published_seq = greatest(published_seq, p_published_seq),
           published_result_offset = case when p_published_seq >= published_seq
                                          then p_published_result_offset
                                          else published_result_offset end
     where partition = p_partition
       and epoch = p_epoch
       and next_offset is not distinct from p_expected_offset
       and next_seq = p_expected_seq;
    if found then
        return;
    end if;

    select * into stored from usher.partition_state where partition = p_partition;
    if stored.epoch is distinct from p_epoch then
        raise exception 'partition % is in epoch %, not %', p_partition, stored.epoch, p_epoch
            using errcode = 'US001';
    end if;
    raise exception 'partition % stands at offset % seq %, not at % and %',
        p_partition, stored.next_offset, stored.next_seq, p_expected_offset, p_expected_seq
        using errcode = 'US002';
end
$$;

-- True, or raises unless there are as many rows as there must be. `what` is for people. Stable, so
-- that a condition without columns is looked at once, not for each row.
create function usher.expect(what text, actual bigint, wanted bigint) returns boolean
language plpgsql stable
as $$
begin
    if actual <> wanted then
        raise exception '%: % rows instead of %', what, actual, wanted using errcode = 'US003';
    end if;
    return true;
end
$$;

-- Takes a partition: the next epoch, under the lock of its row, which waits for a transaction of
-- the owner before. With an expected epoch (not 0) only if nobody else took it since: that epoch is
-- still the stored one, or a later one is our own, taken by a call whose answer was lost. `owner` is
-- therefore never the same for two owners. The first time ever, makes the row and records the
-- partition count.
create function usher.acquire(
    p_partition integer, p_partition_count integer, p_expected_epoch integer,
    p_owner text, p_backend_pid integer, p_backend_start timestamptz,
    out state usher.partition_state, out last_pool bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    recorded integer;
    is_first boolean;
begin
    is_first := not exists (select from usher.partition_state where partition = p_partition);
    if is_first then
        -- Two first starts with different counts must not both succeed.
        perform pg_advisory_xact_lock(hashtext('usher.partition_count'));
    end if;
    select partition_count into recorded
      from usher.partition_state where partition_count <> p_partition_count limit 1;
    if found then
        raise exception '% partitions are recorded, not %', recorded, p_partition_count
            using errcode = 'US004';
    end if;
    if is_first then
        insert into usher.partition_state (partition, partition_count)
        values (p_partition, p_partition_count)
        on conflict do nothing;
    end if;

    -- Looked at first, since whoever is fenced need not wait for the lock: epochs only grow.
    select s.* into state from usher.partition_state s where s.partition = p_partition;
    if not (p_expected_epoch in (0, state.epoch) or state.owner = p_owner) then
        raise exception 'partition % is in epoch %, not %',
            p_partition, state.epoch, p_expected_epoch using errcode = 'US001';
    end if;
    update usher.partition_state s
       set epoch = s.epoch + 1, owner = p_owner, acquired_at = clock_timestamp(),
           backend_pid = p_backend_pid, backend_start = p_backend_start
     where s.partition = p_partition
       and (p_expected_epoch in (0, s.epoch) or s.owner = p_owner)
    returning s.* into state;
    if not found then
        raise exception 'partition % is no longer in epoch %', p_partition, p_expected_epoch
            using errcode = 'US001'; -- it went while we waited
    end if;
    -- After the lock: what a predecessor committed meanwhile is seen from here on.
    select coalesce(max(no), 0) & ((1::bigint << 48) - 1) into last_pool
      from usher.pool
     where no between p_partition::bigint << 48 and ((p_partition + 1)::bigint << 48) - 1;
end
$$;

-- ---- views for people --------------------------------------------------------------------------
-- The name of a seat: units of a section count its seats row by row.
create function usher.seat_name(chart_content text, section text, unit integer) returns text
language sql stable
as $$
    select concat(r.name, '-', r.first + unit - r.start)
      from (select e ->> 'row' as name,
                   coalesce((e ->> 'first')::integer, 1) as first,
                   (e ->> 'seats')::integer as seats,
                   sum((e ->> 'seats')::integer) over (order by place)
                       - (e ->> 'seats')::integer as start
              from json_array_elements(chart_content::json -> 'sections') as s,
                   json_array_elements(s -> 'rows') with ordinality as x (e, place)
             where s ->> 'section' = section) as r
     where unit >= r.start and unit < r.start + r.seats
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
  join usher.pool as p on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
 where b.state = 'confirmed';

-- What is free, held and sold of each pool.
create view usher.availability as
select r.id as resource,
       r.name,
       r.state,
       p.kind,
       p.name as pool,
       p.night,
       p.capacity - t.held - t.sold as free,
       t.held,
       t.sold,
       p.capacity::bigint as total,
       p.price,
       r.currency
  from usher.pool as p
  join usher.resource as r on r.no = p.resource_no
 cross join lateral (
     select count(*) filter (where b.state = 'held') as held,
            count(*) filter (where b.state = 'confirmed') as sold
       from usher.allocation as a
       join usher.booking as b on b.no = a.booking
      where a.pool = p.no) as t
 where p.capacity > 0;

-- Who did what when, in the order of a partition: (partition, seq).
create view usher.history as
select d.decided_at,
       d.resource,
       x.body ->> 'customer' as customer,
       d.op,
       d.outcome,
       d.reason,
       x.body ->> 'detail' as detail,
       coalesce(b.request_id, x.body ->> 'booking') as booking,
       (x.body ->> 'total')::bigint as total,
       x.body ->> 'currency' as currency,
       d.source_offset is null as unasked,
       d.replayed,
       d.client,
       d.request_id,
       d.partition,
       d.seq,
       d.source_offset,
       d.epoch,
       x.body as answer
  from usher.decision as d
 cross join lateral (select ('{' || d.body || '}')::json as body) as x
  left join usher.booking as b on b.no = d.booking_no;

-- ---- permissions -------------------------------------------------------------------------------
-- The worker: reads, inserts, the changes that bookings and the catalogue go through, and the
-- return of units. No deletion of anything else, no change of a decision, no way past the guard to
-- the partition's row.
revoke execute on all functions in schema usher from public;
grant usage on schema usher to usher_worker, usher_reader;

grant select on all tables in schema usher to usher_worker;
grant insert on usher.chart, usher.resource, usher.pool, usher.booking, usher.allocation,
    usher.decision, usher.dead_letter to usher_worker;
grant update (state, name, venue, description, timezone, currency, starts_at, ends_at, hold_ttl_s,
    rev, chart) on usher.resource to usher_worker;
grant update (kind, title, capacity, price) on usher.pool to usher_worker;
grant update (state, customer, cart, payment, note, expires_at, total, lines)
    on usher.booking to usher_worker;
grant delete on usher.allocation to usher_worker;
grant execute on function usher.advance, usher.expect, usher.acquire, usher.seat_name
    to usher_worker;

grant select on usher.purchase, usher.availability, usher.history to usher_reader;
grant execute on function usher.seat_name to usher_reader;
