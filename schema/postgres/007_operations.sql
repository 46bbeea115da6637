-- What an operator does, by functions that write it down, for the owner of the schema only. Whatever changes where a
-- partition stands begins its next epoch, so that whoever owns the partition cannot commit over it. Each function confirms what it
-- wrote.

set local role usher_owner;

-- ---- the clock of a partition --------------------------------------------------------------------
-- `now` of a partition never goes back by itself, so that decisions are in the order of their times. After the server's
-- clock was ahead, this sets it back to it, if it is ahead of it. The next epoch begins: whoever owns the
-- partition is fenced, takes it again, and reads the clock anew. Holds keep the ends that their customers were told;
-- `ends_late` counts those that were made under the wrong clock, parties and blocks with a time included, and
-- `last_end` is the last of their ends.
create function usher.reset_clock(
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

-- ---- halts -----------------------------------------------------------------------------------------
-- Ends the halt of an epoch, where there is one. The worker that halted in it tries again when it sees that the next
-- epoch is nobody's. Returns whether there was one.
create function usher.end_halt(p_partition integer, p_epoch integer) returns boolean
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

-- Passes over the requests before an offset, from where the partition stood when the operator looked: what was decided
-- meanwhile would not be what was shown. Requests that nobody has decided are lost by it.
create function usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text)
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

-- Has a halted partition try again. False: it is not halted, and nothing was changed.
create function usher.resume(p_partition integer) returns boolean
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

-- ---- new topics ------------------------------------------------------------------------------------
-- Takes the topics of a partition for new ones, from where it stood when the operator looked: requests are read from
-- their start on, and answers behind p_published_seq (null: those that are not known to be published) are published.
-- Whoever works on the partition must have ended: it could still publish to the topic that was. One that halted tries
-- again. Requests that were in the old topic and not decided are lost by it.
--
-- For a new topic of requests alone whoever owns the partition may be at work: not every partition finds out
-- that a topic was recreated, and those that did must not wait for a person who stops the workers. The epoch is nobody's
-- then, so that it can neither commit nor acquire the partition for what it has read, and is assigned the partition anew.
-- Where it stands does not matter, since it goes on from the start of the topic.
create function usher.accept_topic(
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

-- ---- pruning ---------------------------------------------------------------------------------------
-- Closed resources that were over before a time, with nothing that could still change by itself. Over is the latest of:
-- its end (else its start), the morning after its last night, its last change. A night is over when that morning has come
-- everywhere: at noon in UTC. Nobody needs to know the time zone of the place, which this server may not know.
create function usher.prunable(p_before timestamptz)
returns table (resource_no bigint, partition integer, resource text, ended_at timestamptz)
language sql stable
as $$
    select r.no, r.partition, r.id, e.ended_at
      from usher.resource as r
     cross join lateral (
         select greatest(coalesce(r.ends_at, r.starts_at),
                         (select (max(p.night) + 1 + time '12:00') at time zone 'UTC' from usher.pool as p where p.resource_no = r.no),
                         (select d.decided_at from usher.decision as d where d.partition = r.partition and d.seq = r.rev)
                        ) as ended_at) as e
     where r.state = 'closed' and r.cancelling is null and e.ended_at < p_before
       and not exists (select from usher.booking as b
                        where b.resource_no = r.no and b.state in ('held', 'blocked')
                          and (b.state = 'held' or b.expires_at is not null))
       and not exists (select from usher.booking as b where b.resource_no = r.no and b.state = 'waiting')
$$;

-- Begins to prune a resource: from here on to the end of the transaction nobody changes it. Returns the seq up to which
-- answers are published, behind which no decision about it is: nothing is pruned that is not known to be published, whether
-- or not somebody asked for it, for seqs are dense, and each of them is published. Null: it is not prunable any more.
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
                        where d.partition = s.partition and d.seq > s.published_seq
                          and (d.resource_no = p_no or d.resource = r.resource));
    return published;
end
$$;

-- Ends it: under the lock of the partition's row nothing was decided about the resource meanwhile, nothing is to be
-- published again, as an operator may have asked for, and the next epoch begins, so that what its owner has in memory of it
-- is never written. usher.published is the highest seq that prune_begin returned in this transaction. The partition must live
-- here and stay. A resource that was pruned before, and came back with a partition that moved then, is pruned again.
create function usher.prune_end(
    p_no bigint, p_partition integer, p_resource text, p_ended_at timestamptz,
    p_decisions bigint, p_bookings bigint, p_dead_letters bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    state usher.partition_state;
    here text;
begin
    select name into here from usher.shard;
    perform from usher.partition_state where partition = p_partition for update;
    select * into state from usher.partition_state where partition = p_partition;
    if state.destination is not null or state.shard is distinct from here then
        raise exception 'partition % has moved meanwhile', p_partition using errcode = 'US002';
    end if;
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition returning * into state;
    perform usher.expect_one(found, 'updates of usher.partition_state');
    if exists (select from usher.decision where resource_no = p_no and first) then
        raise exception 'resource % was asked for meanwhile', p_resource using errcode = 'US002';
    end if;
    if state.published_seq < nullif(current_setting('usher.published', true), '')::bigint then
        raise exception 'answers about resource % are to be published again', p_resource using errcode = 'US002';
    end if;
    perform usher.expect_one(not exists (select from usher.resource where no = p_no), 'deletes from usher.resource');
    perform usher.expect_one(not exists (select from usher.pool where resource_no = p_no), 'deletes from usher.pool');
    insert into usher.pruned as p (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters)
    values (p_no, p_partition, p_resource, state.epoch, p_ended_at, state.published_seq, p_decisions, p_bookings, p_dead_letters)
    on conflict (resource_no) do update
       set epoch = excluded.epoch, last_seq = excluded.last_seq, decisions = greatest(p.decisions, excluded.decisions),
           bookings = greatest(p.bookings, excluded.bookings), dead_letters = greatest(p.dead_letters, excluded.dead_letters),
           pruned_at = excluded.pruned_at, pruned_by = excluded.pruned_by, hidden_at = null;
    perform usher.expect_one(found, 'inserts into usher.pruned');
end
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.reset_clock, usher.end_halt, usher.skip, usher.resume, usher.accept_topic, usher.prunable,
    usher.prune_begin, usher.prune_end from public;
