-- A move and what must not happen beside it wait for each other, by the one row of usher.shard: whoever deletes, or goes
-- through one database after another, locks it `for share`, and a move that begins `for update`. That row, and not the row of
-- the partition: workers and operators lock those all the time, and no update of them is a change of a key. And no advisory
-- lock, which every login may take.
--
-- Moves are written down, for people.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (30, 28);

-- As it was, but that a move does wait until the transaction is over, and that a partition that moved away does not stay.
create or replace function usher.stays(p_partition integer) returns boolean
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

-- As it was, but for a partition that lives here and stays; and a resource that was pruned before, and came back with a
-- partition that moved then, is pruned again.
create or replace function usher.prune_end(
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

-- ---- what was moved ----------------------------------------------------------------------------
create table usher.partition_move (
    partition integer not null,
    moved_at timestamptz not null default clock_timestamp(),
    source text collate "C" not null,
    target text collate "C",
    moved_by text not null default session_user,
    primary key (partition, moved_at)
);

comment on table usher.partition_move is 'partitions that were moved here, and rows of them that were deleted elsewhere since';
comment on column usher.partition_move.partition is 'number of the Kafka partition';
comment on column usher.partition_move.moved_at is 'when';
comment on column usher.partition_move.source is 'shard from which it was moved, or in which its rows were deleted';
comment on column usher.partition_move.target is 'shard to which it was moved; null: the rows that it had left in the source were deleted';
comment on column usher.partition_move.moved_by is 'the login that did it';

-- As it was, but with the moves.
create or replace view usher.partition_events as
select e.*
  from (select h.partition,
               h.halted_at as happened_at,
               case when s.epoch = h.epoch then 'halted' else 'was halted' end as event,
               h.next_offset as from_offset,
               null::bigint as to_offset,
               null::bigint as records,
               h.reason,
               h.resumed_by as by_whom,
               h.resumed_at as over_at
          from usher.partition_halt as h
          join usher.partition_state as s on s.partition = h.partition
        union all
        select partition, skipped_at, case when from_offset = to_offset then 'loss accepted' else 'skipped' end, from_offset,
               to_offset,
               records + placeholders, reason, skipped_by, null
          from usher.partition_skip
        union all
        select partition, accepted_at, case topics when 'both' then 'new topics' else 'new topic of ' || topics end,
               next_offset, null, null, reason, accepted_by, null
          from usher.partition_topic
        union all
        select partition, became, 'clock reset', null, null, null, format('its time was %s', was), reset_by, null
          from usher.clock_reset
        union all
        select partition, moved_at,
               (case when target is null then 'forgot moved in ' || source
                     else format('moved %s → %s', source, target) end) collate "default",
               null, null, null, null, moved_by, null
          from usher.partition_move) as e
 where (e.partition in (select partition from usher.home)) is true;

comment on column usher.partition_events.event is
    'halted (and still is), was halted, skipped, loss accepted, new topic of requests or results, new topics, clock reset, moved a → b, forgot moved in a';
