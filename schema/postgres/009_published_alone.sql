-- A batch may record nothing but how far answers are published. So far that came with the next decision only: whoever
-- took a partition over that was left in order sent the last dead letters again, and read the last answers again.

set local role usher_owner;

create or replace function usher.advance(
    p_partition integer, p_epoch integer,
    p_expected_offset bigint, p_expected_seq bigint,
    p_next_offset bigint, p_next_seq bigint,
    p_now timestamptz,
    p_fingerprint_offset bigint, p_fingerprint bigint,
    p_published_seq bigint, p_published_result_offset bigint
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
                                          else published_result_offset end
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
