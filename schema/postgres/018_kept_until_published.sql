-- Nothing is pruned that is not known to be published, whether or not somebody asked for it: seqs are dense, and each of
-- them is published. Where a decision is gone all the same before it was, an operator has another answer published in its
-- place, which is written down.
--
-- Workers do not notice: no table, type or function of theirs changes.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (18, 14);

-- Answers that are published in the place of decisions that are gone; `records` is 0 then.
alter table usher.partition_skip add column placeholders bigint not null default 0;

-- As before; and no decision about the resource is behind the seq that is returned.
create or replace function usher.prune_begin(p_no bigint, p_before timestamptz) returns bigint
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

-- As before; and nothing is to be published again, as an operator may have asked for meanwhile. usher.published is the
-- highest seq that prune_begin returned in this transaction.
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
    if exists (select from usher.decision where resource_no = p_no and first) then
        raise exception 'resource % was asked for meanwhile', p_resource using errcode = 'US002';
    end if;
    if state.published_seq < nullif(current_setting('usher.published', true), '')::bigint then
        raise exception 'answers about resource % are to be published again', p_resource using errcode = 'US002';
    end if;
    insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters)
    values (p_no, p_partition, p_resource, state.epoch, p_ended_at, state.published_seq, p_decisions, p_bookings, p_dead_letters);
end
$$;

-- As in 015; of a loss that was not published yet, how many answers are in its place.
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
       records + placeholders, reason, skipped_by, null
  from usher.partition_skip
union all
select partition, accepted_at, case topics when 'both' then 'new topics' else 'new topic of ' || topics end,
       next_offset, null, null, reason, accepted_by, null
  from usher.partition_topic
union all
select partition, became, 'clock reset', null, null, null, format('its time was %s', was), reset_by, null
  from usher.clock_reset;

-- ---- comments ----------------------------------------------------------------------------------
comment on column usher.partition_skip.placeholders is 'loss of answers that were not published: how many others are published in their place';
