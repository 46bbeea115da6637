-- Topics that are others than before are accepted by a command, which writes it down, and what an operator did to a
-- partition is told apart: a loss that was accepted is no skip.
--
-- Workers of the version before do not notice: no table, type or function of theirs changes.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (15, 14);

create table usher.partition_topic (
    partition integer not null,
    epoch integer not null,         -- that began with it
    topics text not null check (topics in ('requests', 'results', 'both')),
    next_offset bigint,             -- where it stood in the requests; null: nowhere yet
    next_seq bigint not null,
    published_seq bigint not null,  -- what comes behind it is published from then on
    reason text not null,
    accepted_at timestamptz not null default clock_timestamp(),
    accepted_by text not null default session_user,
    primary key (partition, epoch)
);

-- Takes the topics of a partition for new ones, from where it stood when the operator looked: requests are read from
-- their start on, and answers behind p_published_seq (null: those that are not known to be published) are published.
-- Whoever works on the partition must have ended: it could still publish to the topic that was. One that halted tries
-- again. Only for the owner: requests that were in the old topic and not decided are lost by it.
create function usher.accept_topic(
    p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    stored usher.partition_state;
    stood usher.partitions;
    published bigint;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    if not found or stored.next_offset is distinct from p_next_offset or stored.next_seq <> p_next_seq then
        raise exception 'partition % stands at offset % now, its next seq is %', p_partition, stored.next_offset, stored.next_seq
            using errcode = 'US002';
    end if;
    select * into stood from usher.partitions where partition = p_partition;
    if stood.connected and stood.halted is null then
        raise exception 'worker % has a session for partition %', stood.owner, p_partition using errcode = 'US002';
    end if;
    published := least(stored.published_seq, coalesce(p_published_seq, stored.published_seq));
    update usher.partition_state
       set next_offset = case when p_topics = 'results' then next_offset end,
           fingerprint_offset = case when p_topics = 'results' then fingerprint_offset end,
           fingerprint = case when p_topics = 'results' then fingerprint end,
           published_result_offset = case when p_topics = 'requests' then published_result_offset end,
           published_seq = published,
           epoch = epoch + 1
     where partition = p_partition;
    insert into usher.partition_topic (partition, epoch, topics, next_offset, next_seq, published_seq, reason)
    values (p_partition, stored.epoch + 1, p_topics, stored.next_offset, stored.next_seq, published, p_reason);
    return usher.end_halt(p_partition, stored.epoch);
end
$$;

-- As in 011, with a loss that was accepted, and topics.
create or replace view usher.partition_events as
select h.partition,
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
select partition, skipped_at, case when from_offset = to_offset then 'loss accepted' else 'skipped' end, from_offset, to_offset,
       records, reason, skipped_by, null
  from usher.partition_skip
union all
select partition, accepted_at, case topics when 'both' then 'new topics' else 'new topic of ' || topics end,
       next_offset, null, null, reason, accepted_by, null
  from usher.partition_topic
union all
select partition, became, 'clock reset', null, null, null, format('its time was %s', was), reset_by, null
  from usher.clock_reset;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.accept_topic from public;
grant select on usher.partition_topic to usher_worker;

-- ---- comments ----------------------------------------------------------------------------------
comment on table usher.partition_topic is 'topics that an operator accepted as new ones';
comment on column usher.partition_topic.partition is 'number of the Kafka partition';
comment on column usher.partition_topic.epoch is 'of the partition, which began with it';
comment on column usher.partition_topic.topics is 'requests, results or both';
comment on column usher.partition_topic.next_offset is 'where the partition stood in the topic of requests; null: nowhere yet';
comment on column usher.partition_topic.next_seq is 'of the partition then';
comment on column usher.partition_topic.published_seq is 'answers behind this one are published from then on';
comment on column usher.partition_topic.reason is 'why, as the operator said';
comment on column usher.partition_topic.accepted_at is 'when';
comment on column usher.partition_topic.accepted_by is 'who';
comment on function usher.accept_topic is 'takes topics for new ones; for usher_owner';
comment on column usher.partition_events.event is 'halted (and still is), was halted, skipped, loss accepted, new topic of requests or results, new topics, clock reset';
comment on column usher.partition_events.records is 'skipped: how many requests of those that Kafka still had; loss accepted: how many decisions';
