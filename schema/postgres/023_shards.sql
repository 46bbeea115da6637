-- Several databases: each partition lives in one of them, and they say themselves which partitions are theirs. So there is
-- no map that could differ from what is stored.
--
-- A database without a name is the only one: what is acquired there for the first time lives there. One with a name, a
-- shard, has only the partitions that were placed there, so that two shards never start the same one.
--
-- A partition moves from one shard to another while it sells. Its row of usher.partition_state in each of the two says how far
-- that is:
--
--     at the source              at the target
--     shard   destination        shard   destination
--     a       null               no row                 it lives in a
--     a       b                  a       b              its rows are being copied; it sells in a
--     null    b                  a       b              it stands still for the rest of its rows
--     null    b                  b       null           it lives in b: committed there, and not yet noted here
--     b       null               b       null           it lives in b; its rows in a can be deleted
--
-- So it lives where its row has the name of the database, which is at most one; the target's transaction that makes it so
-- is the commit point.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (23, 22);

create table usher.shard (
    name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    named_at timestamptz not null default clock_timestamp(),
    named_by text not null default session_user
);

create unique index shard_only on usher.shard ((true));

grant select on usher.shard to usher_worker, usher_reader;

-- The shard in which the partition lives, as far as this database knows (null: in this one, which has no name), and the one
-- to which it moves.
alter table usher.partition_state
    add column shard text collate "C",
    add column destination text collate "C";

-- As it was, but that where a partition lives comes before its epoch: its owner looks for its new home then, and is not
-- fenced. It has the same owner there.
create or replace function usher.acquire(
    p_partition integer, p_partition_count integer, p_expected_epoch integer,
    p_owner text, p_backend_pid integer, p_backend_start timestamptz,
    out state usher.partition_state, out last_pool bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    recorded integer;
    is_first boolean;
    is_taken boolean := false;
    here text;
begin
    is_first := not exists (select from usher.partition_state where partition = p_partition);
    if is_first then
        -- Two first starts with different counts must not both succeed.
        perform from usher.schema_migration where version = 1 for update;
    end if;
    select partition_count into recorded
      from usher.partition_state where partition_count <> p_partition_count limit 1;
    if found then
        raise exception '% partitions are recorded, not %', recorded, p_partition_count
            using errcode = 'US004';
    end if;
    select name into here from usher.shard;
    if is_first then
        if here is not null then
            raise exception 'partition % does not live in shard %', p_partition, here using errcode = 'US005';
        end if;
        insert into usher.partition_state (partition, partition_count)
        values (p_partition, p_partition_count)
        on conflict do nothing;
    end if;

    -- Looked at first, since whoever is fenced need not wait for the lock: epochs only grow.
    select s.* into state from usher.partition_state s where s.partition = p_partition;
    if state.shard is not distinct from here and (p_expected_epoch in (0, state.epoch) or state.owner = p_owner) then
        update usher.partition_state s
           set epoch = s.epoch + 1, owner = p_owner, acquired_at = clock_timestamp(),
               backend_pid = p_backend_pid, backend_start = p_backend_start
         where s.partition = p_partition
           and s.shard is not distinct from here
           and (p_expected_epoch in (0, s.epoch) or s.owner = p_owner);
        is_taken := found; -- it may go while we wait
        select s.* into state from usher.partition_state s where s.partition = p_partition;
    end if;
    if not is_taken and state.shard is null and state.destination is not null then
        raise exception 'partition % is on its way from shard % to %', p_partition, here, state.destination
            using errcode = 'US006', hint = format('if `usher-worker partition move` was interrupted, run it again: '
                                                   '--partition %s --to %s, or with --cancel', p_partition, state.destination);
    elsif not is_taken and state.shard is distinct from here then
        raise exception 'partition % lives in shard %, and this is %', p_partition, state.shard, coalesce(here, 'none')
            using errcode = 'US005';
    elsif not is_taken then
        raise exception 'partition % is in epoch %, not %', p_partition, state.epoch, p_expected_epoch
            using errcode = 'US001';
    end if;
    -- After the lock: what a predecessor committed meanwhile is seen from here on.
    select coalesce(max(no), 0) & ((1::bigint << 48) - 1) into last_pool
      from usher.pool
     where no between p_partition::bigint << 48 and ((p_partition + 1)::bigint << 48) - 1;
end
$$;

-- Gives this database its name, once and for all. The partitions that it has live in the shard of that name from then on,
-- and so do those of their topic that were never started: it was the only database up to now. False: it has that name.
create function usher.name_shard(p_name text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    here text;
begin
    perform from usher.schema_migration where version = 1 for update; -- no partition starts for the first time meanwhile
    select name into here from usher.shard;
    if here = p_name then
        return false;
    elsif found then
        raise exception 'the database is shard %, not %', here, p_name
            using errcode = 'US004', hint = 'a shard keeps its name';
    end if;
    insert into usher.shard (name) values (p_name);
    update usher.partition_state set shard = p_name;
    insert into usher.partition_state (partition, partition_count, shard)
    select g.partition, c.partition_count, p_name
      from (select max(partition_count) as partition_count from usher.partition_state) as c
     cross join generate_series(0, c.partition_count - 1) as g (partition)
    on conflict do nothing;
    return true;
end
$$;

-- Places a partition that was never started. False: it lives here already. Whoever calls it knows that it lives nowhere else.
create function usher.place(p_partition integer, p_partition_count integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    here text;
    recorded integer;
begin
    perform from usher.schema_migration where version = 1 for update;
    select name into here from usher.shard;
    if not found then
        raise exception 'the database has no name'
            using errcode = 'US004', hint = 'run `usher-worker migrate up --shard NAME`';
    end if;
    select partition_count into recorded
      from usher.partition_state where partition_count <> p_partition_count limit 1;
    if found then
        raise exception '% partitions are recorded, not %', recorded, p_partition_count using errcode = 'US004';
    end if;
    insert into usher.partition_state (partition, partition_count, shard)
    values (p_partition, p_partition_count, here)
    on conflict do nothing;
    return found;
end
$$;

-- Takes a partition away that was placed and never started, to be placed in another shard. False: it was started, and stays.
create function usher.withdraw(p_partition integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    delete from usher.partition_state where partition = p_partition and epoch = 0;
    return found;
end
$$;

-- True, or raises if the partition is on its way to another shard, or lives there. For what changes rows that no later
-- decision names: they may have been copied already. A move waits until the transaction is over.
create function usher.stays(p_partition integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    state usher.partition_state;
begin
    select * into state from usher.partition_state where partition = p_partition for key share;
    if state.destination is not null then
        raise exception 'partition % is being moved to shard %', p_partition, state.destination
            using errcode = 'US005', hint = 'wait until it is there, or cancel that: `usher-worker partition move --cancel`';
    end if;
    return true;
end
$$;

-- ---- the rows of a page ----------------------------------------------------------------------------
-- A partition is copied in pages, by seq: the decisions of a page, and whatever they changed as it is now. Settings of the
-- transaction say which page: usher.partition, usher.after, usher.upto.
create function usher.page_decisions() returns setof usher.decision
language sql stable
as $$
    select d.*
      from usher.decision as d
     where d.partition = current_setting('usher.partition')::integer
       and d.seq > current_setting('usher.after')::bigint and d.seq <= current_setting('usher.upto')::bigint
$$;

create function usher.page_bookings() returns setof bigint
language sql stable
as $$
    select distinct b.no
      from usher.page_decisions() as d
     cross join lateral unnest(array_append(d.booking_nos, d.booking_no)) as b (no)
     where b.no is not null
$$;

-- Work that lasts longer may begin and end without a decision: usher.unfinished has the resources of either side with any.
create function usher.page_resources() returns setof bigint
language sql stable
as $$
    select d.resource_no from usher.page_decisions() as d where d.resource_no is not null
    union
    select unnest(string_to_array(nullif(current_setting('usher.unfinished'), ''), ','))::bigint
$$;

-- The units of its bookings that are open.
create function usher.page_units() returns table (pool bigint, unit integer, booking bigint)
language sql stable
as $$
    select p.no, u.unit, b.no
      from usher.page_bookings() as n (no)
     cross join lateral (
         select f.no, f.resource_no, f.lines
           from usher.booking as f
          where f.no = n.no and f.state in ('held', 'confirmed', 'blocked') offset 0) as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
     cross join lateral (
         select o.no
           from usher.pool as o
          where o.resource_no = b.resource_no and o.index = (l.line ->> 1)::integer offset 0) as p
     cross join lateral usher.line_units(l.line) as u (unit)
     where u.unit is not null
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.name_shard, usher.place, usher.withdraw, usher.stays, usher.page_decisions, usher.page_bookings,
    usher.page_resources, usher.page_units from public;

-- As it was, but for the shard and the destination.
create or replace view usher.partitions as
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

comment on table usher.shard is 'name of this database among several; no row: it is the only one';
comment on column usher.shard.name is 'permanent';
comment on column usher.shard.named_at is 'when it was named';
comment on column usher.shard.named_by is 'the login that named it';
comment on function usher.name_shard is 'gives this database its name among several; for usher_owner';
comment on function usher.place is 'places a partition that was never started in this shard; for usher_owner';
comment on function usher.withdraw is 'takes a partition that was never started out of this shard; for usher_owner';
comment on index usher.shard_only is 'a database has one name at most';
comment on column usher.partition_state.shard is
    'shard in which the partition lives; null: this database, which has no name, or with a destination: in none for now';
comment on column usher.partition_state.destination is 'shard to which the partition is being moved; null: it stays';
comment on column usher.partitions.shard is
    'shard in which the partition lives; null: this database, which has no name, or with a destination: in none for now';
comment on column usher.partitions.destination is 'shard to which the partition is being moved; null: it stays';
comment on function usher.stays is 'true, or raises if a partition is being moved; for usher_owner';
comment on function usher.page_decisions is 'decisions of the page that a move copies; for usher_owner';
comment on function usher.page_bookings is 'bookings that these changed';
comment on function usher.page_resources is 'resources that these changed, or that have work left';
comment on function usher.page_units is 'numbered units of these bookings';
