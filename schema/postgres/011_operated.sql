-- What an operator does to a partition is done by functions that write it down: requests are passed over, a halted
-- partition tries again. Both begin the next epoch, so that whoever owns the partition cannot commit over it.

set local role usher_owner;

-- A halt is over when a person said so, or when somebody took the partition since.
alter table usher.partition_halt add column resumed_at timestamptz, add column resumed_by text;

create table usher.partition_skip (
    partition integer not null,
    epoch integer not null,      -- that began with it
    from_offset bigint,          -- null: the start of the log
    to_offset bigint not null,   -- decided from here on
    records bigint not null,     -- of them Kafka still had so many
    next_seq bigint not null,
    reason text not null,
    skipped_at timestamptz not null default clock_timestamp(),
    skipped_by text not null default session_user,
    primary key (partition, epoch)
);

-- Ends the halt of an epoch, where there is one. The worker that halted in it tries again when it sees that the next
-- epoch is nobody's. Returns whether there was one.
create function usher.end_halt(p_partition integer, p_epoch integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    update usher.partition_halt
       set resumed_at = clock_timestamp(), resumed_by = session_user
     where partition = p_partition and epoch = p_epoch and resumed_at is null;
    return found;
end
$$;

-- Passes over the requests before an offset, from where the partition stood when the operator looked: what was decided
-- meanwhile would not be what was shown. Requests that nobody has decided are lost by it, so it is for the owner only.
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
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, next_seq, reason)
    values (p_partition, stored.epoch + 1, p_from, p_to, p_records, stored.next_seq, p_reason);
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
    return true;
end
$$;

-- What became of partitions beside their work: a row for each time that one halted, was moved on, or had its time set.
create view usher.partition_events as
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
select partition, skipped_at, 'skipped', from_offset, to_offset, records, reason, skipped_by, null
  from usher.partition_skip
union all
select partition, became, 'clock reset', null, null, null, format('its time was %s', was), reset_by, null
  from usher.clock_reset;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.end_halt, usher.skip, usher.resume from public;
grant select on usher.partition_skip to usher_worker;
grant select on usher.partition_events to usher_reader, usher_worker;

-- ---- comments ----------------------------------------------------------------------------------
comment on column usher.partition_halt.resumed_at is 'when a person had the partition try again; null: nobody did';
comment on column usher.partition_halt.resumed_by is 'who';
comment on table usher.partition_skip is 'requests that an operator passed over: they are never decided';
comment on column usher.partition_skip.partition is 'number of the Kafka partition';
comment on column usher.partition_skip.epoch is 'of the partition, which began with it';
comment on column usher.partition_skip.from_offset is 'of the first request that was passed over; null: the start of the log';
comment on column usher.partition_skip.to_offset is 'of the first request behind them';
comment on column usher.partition_skip.records is 'how many of them Kafka still had';
comment on column usher.partition_skip.next_seq is 'of the partition then';
comment on column usher.partition_skip.reason is 'why, as the operator said';
comment on column usher.partition_skip.skipped_at is 'when';
comment on column usher.partition_skip.skipped_by is 'who';
comment on function usher.end_halt is 'notes that a person ended a halt';
comment on function usher.skip is 'passes over requests that cannot be decided; for usher_owner';
comment on function usher.resume is 'has a halted partition try again; for usher_owner';
comment on view usher.partition_events is 'when partitions halted, were moved on by an operator, or had their time set back';
comment on column usher.partition_events.partition is 'number of the Kafka partition';
comment on column usher.partition_events.happened_at is 'when';
comment on column usher.partition_events.event is 'halted (and still is), was halted, skipped, clock reset';
comment on column usher.partition_events.from_offset is 'of the request at which it stood';
comment on column usher.partition_events.to_offset is 'of the request from which on it went on';
comment on column usher.partition_events.records is 'how many requests were passed over, of those that Kafka still had';
comment on column usher.partition_events.reason is 'why';
comment on column usher.partition_events.by_whom is 'who did it, or ended the halt';
comment on column usher.partition_events.over_at is 'when a person ended the halt';
