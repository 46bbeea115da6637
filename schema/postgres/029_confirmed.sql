-- Each function confirms what it wrote: a trigger or a rule of somebody else may drop a row without an error.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (29, 28);

-- Raises unless the statement before it wrote one row of that table.
create function usher.expect_one(p_done boolean, p_what text) returns void
language sql stable
as $$
    select usher.expect(p_what, coalesce(p_done, false)::integer, 1)
$$;

-- The guard of 026.
create or replace function usher.advance(
    p_partition integer, p_epoch integer,
    p_expected_offset bigint, p_expected_seq bigint,
    p_next_offset bigint, p_next_seq bigint,
    p_now timestamptz,
    p_fingerprint_offset bigint, p_fingerprint bigint,
    p_published_seq bigint, p_published_result_offset bigint,
    p_holds bigint, p_parties bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
    is_written boolean;
begin
    -- Each batch moves, so that the same batch cannot begin twice at one place; the published position may move alone.
    if p_next_seq < p_expected_seq
        or coalesce(p_next_offset, -1) < coalesce(p_expected_offset, -1)
        or (p_next_seq = p_expected_seq
            and p_next_offset is not distinct from p_expected_offset
            and p_published_seq <= coalesce((select s.published_seq
                                               from usher.partition_state as s
                                              where s.partition = p_partition and s.epoch = p_epoch), 0))
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
                                          else published_result_offset end,
           holds = p_holds,
           parties = p_parties
     where partition = p_partition
       and epoch = p_epoch
       and next_offset is not distinct from p_expected_offset
       and next_seq = p_expected_seq
    returning next_seq = p_next_seq and next_offset is not distinct from p_next_offset into is_written;
    if is_written then
        return;
    end if;

    select * into stored from usher.partition_state where partition = p_partition;
    if stored.epoch is distinct from p_epoch then
        raise exception 'partition % is in epoch %, not %', p_partition, stored.epoch, p_epoch
            using errcode = 'US001';
    end if;
    if stored.next_offset is not distinct from p_expected_offset and stored.next_seq = p_expected_seq then
        perform usher.expect_one(is_written, 'updates of usher.partition_state');
    end if;
    raise exception 'partition % stands at offset % seq %, not at % and %',
        p_partition, stored.next_offset, stored.next_seq, p_expected_offset, p_expected_seq
        using errcode = 'US002';
end
$$;

-- As in 023.
create or replace function usher.acquire(
    p_partition integer, p_partition_count integer, p_expected_epoch integer,
    p_owner text, p_backend_pid integer, p_backend_start timestamptz,
    out state usher.partition_state, out last_pool bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    recorded integer;
    before integer;
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
        before := state.epoch;
        update usher.partition_state s
           set epoch = s.epoch + 1, owner = p_owner, acquired_at = clock_timestamp(),
               backend_pid = p_backend_pid, backend_start = p_backend_start
         where s.partition = p_partition
           and s.shard is not distinct from here
           and (p_expected_epoch in (0, s.epoch) or s.owner = p_owner);
        is_taken := found; -- it may go while we wait
        select s.* into state from usher.partition_state s where s.partition = p_partition;
        if is_taken then
            perform usher.expect_one(state.epoch > before and state.owner = p_owner, 'updates of usher.partition_state');
        elsif state.shard is not distinct from here and (p_expected_epoch in (0, state.epoch) or state.owner = p_owner) then
            perform usher.expect_one(is_taken, 'updates of usher.partition_state');
        end if;
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

-- ---- what an operator does: as in 005 and 023 ---------------------------------------------------------
create or replace function usher.reset_clock(
    p_partition integer,
    out was timestamptz, out became timestamptz, out ends_late bigint, out last_end timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    was := stored.now; -- null: nothing was decided yet
    became := clock_timestamp();
    if was is null or was <= became then
        became := was;
        return;
    end if;
    update usher.partition_state set now = became, epoch = epoch + 1 where partition = p_partition;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    -- A second one without a decision in between: the first knows what it was at the decision before.
    insert into usher.clock_reset (partition, seq, was, became)
    values (p_partition, stored.next_seq, was, became)
    on conflict (partition, seq) do update set became = excluded.became;
    perform usher.expect_one(found, 'inserts into usher.clock_reset');
    select count(*), max(b.expires_at) into ends_late, last_end
      from usher.booking as b
     where b.partition = p_partition and b.expires_at > became
       and b.state in ('held', 'waiting', 'blocked') and b.created_at > became;
end
$$;

create or replace function usher.end_halt(p_partition integer, p_epoch integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    has_ended boolean;
begin
    update usher.partition_halt
       set resumed_at = clock_timestamp(), resumed_by = session_user
     where partition = p_partition and epoch = p_epoch and resumed_at is null;
    has_ended := found;
    perform usher.expect_one(not exists (select from usher.partition_halt
                                          where partition = p_partition and epoch = p_epoch and resumed_at is null),
                             'updates of usher.partition_halt');
    return has_ended;
end
$$;

create or replace function usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    if not found or stored.next_offset is distinct from p_from then
        raise exception 'partition % stands at offset % now', p_partition, stored.next_offset using errcode = 'US002';
    end if;
    if p_to <= coalesce(p_from, -1) then
        raise exception 'partition % stands at offset % already', p_partition, p_from using errcode = 'US003';
    end if;
    update usher.partition_state
       set next_offset = p_to, fingerprint_offset = null, fingerprint = null, epoch = epoch + 1
     where partition = p_partition;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, next_seq, reason)
    values (p_partition, stored.epoch + 1, p_from, p_to, p_records, stored.next_seq, p_reason);
    perform usher.expect_one(found, 'inserts into usher.partition_skip');
    return usher.end_halt(p_partition, stored.epoch);
end
$$;

create or replace function usher.resume(p_partition integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    if not usher.end_halt(p_partition, stored.epoch) then
        return false;
    end if;
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    return true;
end
$$;

create or replace function usher.accept_topic(
    p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
    stood usher.partitions;
    at_work boolean;
    published bigint;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    select * into stood from usher.partitions where partition = p_partition;
    at_work := stood.connected and stood.halted is null;
    if at_work and p_topics <> 'requests' then
        raise exception 'worker % has a session for partition %', stood.owner, p_partition using errcode = 'US002';
    end if;
    if stored is null or not at_work and (stored.next_offset is distinct from p_next_offset or stored.next_seq <> p_next_seq) then
        raise exception 'partition % stands at offset % now, its next seq is %', p_partition, stored.next_offset, stored.next_seq
            using errcode = 'US002';
    end if;
    published := least(stored.published_seq, coalesce(p_published_seq, stored.published_seq));
    update usher.partition_state
       set next_offset = case when p_topics = 'results' then next_offset end,
           fingerprint_offset = case when p_topics = 'results' then fingerprint_offset end,
           fingerprint = case when p_topics = 'results' then fingerprint end,
           published_result_offset = case when p_topics = 'requests' then published_result_offset end,
           published_seq = published,
           owner = null, backend_pid = null, backend_start = null,
           epoch = epoch + 1
     where partition = p_partition;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    insert into usher.partition_topic (partition, epoch, topics, next_offset, next_seq, published_seq, reason)
    values (p_partition, stored.epoch + 1, p_topics, stored.next_offset, stored.next_seq, published, p_reason);
    perform usher.expect_one(found, 'inserts into usher.partition_topic');
    return usher.end_halt(p_partition, stored.epoch);
end
$$;

create or replace function usher.name_shard(p_name text) returns boolean
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

create or replace function usher.place(p_partition integer, p_partition_count integer) returns boolean
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

create or replace function usher.withdraw(p_partition integer) returns boolean
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

create or replace function usher.prune_end(
    p_no bigint, p_partition integer, p_resource text, p_ended_at timestamptz,
    p_decisions bigint, p_bookings bigint, p_dead_letters bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    state usher.partition_state;
begin
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition returning * into state;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    perform usher.expect_one(not exists (select from usher.resource where no = p_no), 'deletes from usher.resource');
    perform usher.expect_one(not exists (select from usher.pool where resource_no = p_no), 'deletes from usher.pool');
    if exists (select from usher.decision where resource_no = p_no and first) then
        raise exception 'resource % was asked for meanwhile', p_resource using errcode = 'US002';
    end if;
    if state.published_seq < nullif(current_setting('usher.published', true), '')::bigint then
        raise exception 'answers about resource % are to be published again', p_resource using errcode = 'US002';
    end if;
    insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters)
    values (p_no, p_partition, p_resource, state.epoch, p_ended_at, state.published_seq, p_decisions, p_bookings, p_dead_letters);
    perform usher.expect_one(found, 'inserts into usher.pruned');
end
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.expect_one from public;

comment on function usher.expect_one is 'raises an error (US003) unless a statement wrote its row';
