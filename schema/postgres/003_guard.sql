-- The guard: through it alone a worker takes a partition and moves it on. SQLSTATEs of its own:
--   US001  the partition has another owner now
--   US002  the partition does not stand where the batch begins
--   US003  a row is not as the batch expects it: a bug, or a foreign hand
--   US004  another partition count is recorded
--   US005  the partition lives in another database
--   US006  the partition is on its way to another database: it lives in none for now

set local role usher_owner;

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

-- Raises unless the statement before it wrote one row of that table. A trigger or a rule of somebody else may drop a row without
-- an error.
create function usher.expect_one(p_done boolean, p_what text) returns void
language sql stable
as $$
    select usher.expect(p_what, coalesce(p_done, false)::integer, 1)
$$;

-- Begins every batch: locks the partition's row, checks who writes and where the batch begins, and
-- moves the partition to where it ends. Raises otherwise: an update of no row would let the rest
-- of the batch run. The owner's rights, so that a worker has no other way to write the row. A batch may record nothing but
-- how far answers are published: else whoever takes a partition over that was left in order would send the last dead
-- letters again, and read the last answers again.
create function usher.advance(
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

-- Takes a partition: the next epoch, under the lock of its row, which waits for a transaction of
-- the owner before. With an expected epoch (not 0) only if nobody else took it since: that epoch is
-- still the stored one, or a later one is our own, taken by a call whose answer was lost. `owner` is
-- therefore never the same for two owners. The first time ever, makes the row and records the
-- partition count. What it waits for then is a row, which nobody else may lock, and no advisory lock, which every login may
-- take. Where the partition lives comes before its epoch: its owner looks for its new home then, and is not fenced. It has the
-- same owner there.
create function usher.acquire(
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

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.expect, usher.expect_one, usher.advance, usher.acquire from public;
grant execute on function usher.advance, usher.expect, usher.acquire to usher_worker;
