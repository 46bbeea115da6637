-- Several databases: each partition lives in one of them, and they say themselves which partitions are theirs. So there is
-- no map that could differ from what is stored.
--
-- A database without a name is the only one: what is acquired there for the first time lives there. One with a name, a
-- shard, has only the partitions that were placed there, so that two shards never start the same one.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (23, 22);

create table usher.shard (
    name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    named_at timestamptz not null default clock_timestamp(),
    named_by text not null default session_user
);

create unique index shard_only on usher.shard ((true));

grant select on usher.shard to usher_worker, usher_reader;

-- The shard in which the partition lives, as far as this database knows; null: in this one, which has no name.
alter table usher.partition_state add column shard text collate "C";

-- As it was, but for the shard. It is compared once the row is locked: what a database is called, and which partitions are
-- placed there, may change while we wait.
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
    if is_first then
        select name into here from usher.shard;
        if found then
            raise exception 'partition % does not live in shard %', p_partition, here using errcode = 'US005';
        end if;
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
    select name into here from usher.shard;
    if state.shard is distinct from here then
        raise exception 'partition % lives in shard %, and this is %', p_partition, state.shard, coalesce(here, 'none')
            using errcode = 'US005';
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

revoke execute on function usher.name_shard, usher.place, usher.withdraw from public;

-- As it was, but for the shard.
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
       s.shard
  from usher.partition_state as s
  left join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.epoch;

comment on table usher.shard is 'name of this database among several; no row: it is the only one';
comment on column usher.shard.name is 'permanent';
comment on column usher.shard.named_at is 'when it was named';
comment on column usher.shard.named_by is 'the login that named it';
comment on column usher.partition_state.shard is 'shard in which the partition lives; null: this database, which has no name';
comment on column usher.partitions.shard is 'shard in which the partition lives; null: this database, which has no name';
comment on function usher.name_shard is 'gives this database its name among several; for usher_owner';
comment on function usher.place is 'places a partition that was never started in this shard; for usher_owner';
comment on function usher.withdraw is 'takes a partition that was never started out of this shard; for usher_owner';
comment on index usher.shard_only is 'a database has one name at most';
