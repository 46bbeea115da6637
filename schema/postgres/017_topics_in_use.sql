-- A new topic of requests is accepted for a partition whose worker reads it already, too: not every partition finds out
-- that a topic was recreated, and those that did must not wait for a person who stops the workers.
--
-- Workers of the version before are fenced by it, as by any other owner, and start again.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (17, 14);

-- As in 015, but for a new topic of requests whoever owns the partition may be at work: the epoch is nobody's then, so
-- that it can neither commit nor acquire the partition for what it has read, and is assigned the partition anew. Where it
-- stands does not matter, since it goes on from the start of the topic.
create or replace function usher.accept_topic(
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
    insert into usher.partition_topic (partition, epoch, topics, next_offset, next_seq, published_seq, reason)
    values (p_partition, stored.epoch + 1, p_topics, stored.next_offset, stored.next_seq, published, p_reason);
    return usher.end_halt(p_partition, stored.epoch);
end
$$;
