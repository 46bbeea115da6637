-- How many holds are open and how many parties wait, in the row that every batch writes anyway.
--
-- Whoever took a partition over counted them, before it decided anything: 0.7 s where 720,000 holds were open. Now each batch
-- says how many there are after it.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (26, 22);

alter table usher.partition_state
    add column holds bigint check (holds >= 0),
    add column parties bigint check (parties >= 0);

comment on column usher.partition_state.holds is 'that are open; null: whoever takes the partition next counts them';
comment on column usher.partition_state.parties is 'that wait; null: whoever takes the partition next counts them';

-- The guard of 003, which also says how many holds and parties there are after the batch.
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
       and next_seq = p_expected_seq;
    if found then
        return;
    end if;

    select * into stored from usher.partition_state where partition = p_partition;
    if stored.epoch is distinct from p_epoch then
        raise exception 'partition % is in epoch %, not %', p_partition, stored.epoch, p_epoch
            using errcode = 'US001';
    end if;
    raise exception 'partition % stands at offset % seq %, not at % and %',
        p_partition, stored.next_offset, stored.next_seq, p_expected_offset, p_expected_seq
        using errcode = 'US002';
end
$$;

-- The guard of earlier programs, whose batches do not say it.
create or replace function usher.advance(
    p_partition integer, p_epoch integer,
    p_expected_offset bigint, p_expected_seq bigint,
    p_next_offset bigint, p_next_seq bigint,
    p_now timestamptz,
    p_fingerprint_offset bigint, p_fingerprint bigint,
    p_published_seq bigint, p_published_result_offset bigint
) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
    select usher.advance(p_partition, p_epoch, p_expected_offset, p_expected_seq, p_next_offset, p_next_seq, p_now,
                         p_fingerprint_offset, p_fingerprint, p_published_seq, p_published_result_offset, null, null)
$$;

revoke execute on function
    usher.advance(integer, integer, bigint, bigint, bigint, bigint, timestamptz, bigint, bigint, bigint, bigint, bigint, bigint)
    from public;
grant execute on function
    usher.advance(integer, integer, bigint, bigint, bigint, bigint, timestamptz, bigint, bigint, bigint, bigint, bigint, bigint)
    to usher_worker;

comment on function
    usher.advance(integer, integer, bigint, bigint, bigint, bigint, timestamptz, bigint, bigint, bigint, bigint, bigint, bigint)
    is 'the guard, first statement of every batch: moves a partition on, or raises an error if it is another''s (US001) or stands elsewhere (US002)';
comment on function
    usher.advance(integer, integer, bigint, bigint, bigint, bigint, timestamptz, bigint, bigint, bigint, bigint)
    is 'the guard of workers of before version 26';
