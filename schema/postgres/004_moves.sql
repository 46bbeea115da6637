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

-- ---- where partitions live -----------------------------------------------------------------------
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
    perform usher.expect_one(found, 'inserts into usher.shard');
    update usher.partition_state set shard = p_name;
    insert into usher.partition_state (partition, partition_count, shard)
    select g.partition, c.partition_count, p_name
      from (select max(partition_count) as partition_count from usher.partition_state) as c
     cross join generate_series(0, c.partition_count - 1) as g (partition)
    on conflict do nothing;
    perform usher.expect('partitions that live in the shard', count(*) filter (where shard = p_name),
                         coalesce(max(partition_count), 0))
       from usher.partition_state;
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
    is_placed boolean;
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
    is_placed := found;
    perform usher.expect_one(exists (select from usher.partition_state where partition = p_partition),
                             'inserts into usher.partition_state');
    return is_placed;
end
$$;

-- Takes a partition away that was placed and never started, to be placed in another shard. False: it was started, and stays.
create function usher.withdraw(p_partition integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    is_withdrawn boolean;
begin
    delete from usher.partition_state where partition = p_partition and epoch = 0;
    is_withdrawn := found;
    perform usher.expect_one(not exists (select from usher.partition_state where partition = p_partition and epoch = 0),
                             'deletes from usher.partition_state');
    return is_withdrawn;
end
$$;

-- True, or raises if the partition is on its way to another shard, or lives there. For what changes rows that no later
-- decision names: they may have been copied already. A move waits until the transaction is over.
--
-- They wait for each other by the one row of usher.shard. Whoever deletes, or goes through one database after another, locks it
-- `for share`, and a move that begins `for update`. The row of the partition would not do: workers and operators lock it all the
-- time, and no update of it is a change of a key.
create function usher.stays(p_partition integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    here text;
    state usher.partition_state;
begin
    select name into here from usher.shard for share;
    select * into state from usher.partition_state where partition = p_partition;
    if state.destination is not null then
        raise exception 'partition % is being moved to shard %', p_partition, state.destination
            using errcode = 'US005', hint = 'wait until it is there, or cancel that: `usher-worker partition move --cancel`';
    elsif state.shard is distinct from here then
        raise exception 'partition % lives in shard %, and this is %', p_partition, state.shard, coalesce(here, 'none')
            using errcode = 'US005';
    end if;
    return true;
end
$$;

-- ---- what was moved ------------------------------------------------------------------------------
-- For people.
create table usher.partition_move (
    partition integer not null,
    moved_at timestamptz not null default clock_timestamp(),
    source text collate "C" not null,
    target text collate "C",
    moved_by text not null default session_user,
    primary key (partition, moved_at)
);

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

