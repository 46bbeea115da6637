-- What is long over can be pruned: closed resources with all that belongs to them. A row remains of each, which says how
-- many decisions are gone, so that it is still proved that no other is missing.

set local role usher_owner;

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

-- Closed resources that were over before a time, with nothing that could still change by itself. Over is the latest of:
-- its end (else its start), the morning after its last night, its last change.
create function usher.prunable(p_before timestamptz)
returns table (resource_no bigint, partition integer, resource text, ended_at timestamptz)
language sql stable
as $$
    select r.no, r.partition, r.id, e.ended_at
      from usher.resource as r
     cross join lateral (
         select greatest(coalesce(r.ends_at, r.starts_at),
                         (select (max(p.night) + 1)::timestamp at time zone 'UTC' from usher.pool as p where p.resource_no = r.no),
                         (select d.decided_at from usher.decision as d where d.partition = r.partition and d.seq = r.rev)
                        ) as ended_at) as e
     where r.state = 'closed' and r.cancelling is null and e.ended_at < p_before
       and not exists (select from usher.booking as b
                        where b.resource_no = r.no and b.state in ('held', 'blocked')
                          and (b.state = 'held' or b.expires_at is not null))
       and not exists (select from usher.booking as b where b.resource_no = r.no and b.state = 'waiting')
$$;

-- Begins to prune a resource: from here on to the end of the transaction nobody changes it. Returns the seq up to which
-- answers are published: no decision behind that is deleted. Null: it is not prunable any more.
create function usher.prune_begin(p_no bigint, p_before timestamptz) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    published bigint;
begin
    perform from usher.resource where no = p_no for update;
    select s.published_seq into published
      from usher.prunable(p_before) as r
      join usher.partition_state as s on s.partition = r.partition
     where r.resource_no = p_no
       and not exists (select from usher.decision as d
                        where d.resource_no = p_no and d.first and d.seq > s.published_seq);
    return published;
end
$$;

-- Ends it: under the lock of the partition's row nothing was decided about the resource meanwhile, and the next epoch
-- begins, so that what its owner has in memory of it is never written.
create function usher.prune_end(
    p_no bigint, p_partition integer, p_resource text, p_ended_at timestamptz,
    p_decisions bigint, p_bookings bigint, p_dead_letters bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    state usher.partition_state;
begin
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition returning * into state;
    if exists (select from usher.decision where resource_no = p_no and first) then
        raise exception 'resource % was asked for meanwhile', p_resource using errcode = 'US002';
    end if;
    insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters)
    values (p_no, p_partition, p_resource, state.epoch, p_ended_at, state.published_seq, p_decisions, p_bookings, p_dead_letters);
end
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.prunable, usher.prune_begin, usher.prune_end from public;
grant select on usher.pruned to usher_worker;

-- ---- comments ----------------------------------------------------------------------------------
comment on table usher.pruned is 'resources that are long over and were deleted with all that belonged to them';
comment on column usher.pruned.resource_no is 'number that it had';
comment on column usher.pruned.partition is 'of its requests';
comment on column usher.pruned.resource is 'its id';
comment on column usher.pruned.epoch is 'of the partition, which began with it';
comment on column usher.pruned.ended_at is 'when it was over';
comment on column usher.pruned.last_seq is 'answers were published up to this one; none of its decisions was behind it';
comment on column usher.pruned.decisions is 'how many were deleted';
comment on column usher.pruned.bookings is 'how many were deleted';
comment on column usher.pruned.dead_letters is 'how many were deleted';
comment on column usher.pruned.pruned_at is 'when';
comment on column usher.pruned.pruned_by is 'who';
comment on column usher.pruned.hidden_at is 'when its keys in Redis were deleted; null: they were not yet';
comment on index usher.pruned_shown is 'resources whose keys in Redis are still to be deleted';
comment on function usher.prunable is 'closed resources that were over before a time';
comment on function usher.prune_begin is 'begins to prune a resource; for usher_owner';
comment on function usher.prune_end is 'ends it, and begins the next epoch of its partition; for usher_owner';
