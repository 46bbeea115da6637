-- Who only reads makes nothing that stays on the server's disk, and takes no lock that workers wait for.
--
-- Workers do not notice: they make no temporary tables and no large objects.

-- Where the role that migrates may not revoke this, it stays as it is, and `usher-worker check` has the rest. A database that
-- is copied or restored has the first right again.
do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
exception
    when insufficient_privilege then
        null;
end
$$;

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (19, 14);

-- As in 001, but what it waits for at the first start ever is a row, which nobody else may lock, and no advisory lock, which
-- every login may take.
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
