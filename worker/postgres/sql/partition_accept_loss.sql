-- Goes on behind answers that the database lost the decisions of, and writes it down as a skip of no offset at all. $1 partition,
-- $2 its next seq when somebody looked, $3 the highest seq that was answered, $4 why. No row: it moved meanwhile.
with stood as (
    select partition, epoch, next_offset, next_seq
      from usher.partition_state where partition = $1 and next_seq = $2 for update
), moved as (
    update usher.partition_state as s
       set next_seq = $3::bigint + 1, published_seq = $3::bigint, published_result_offset = null, epoch = s.epoch + 1
      from stood where s.partition = stood.partition
), noted as (
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, next_seq, reason)
    select partition, epoch + 1, coalesce(next_offset, 0), coalesce(next_offset, 0), $3::bigint + 1 - next_seq, $3::bigint + 1, $4
      from stood
)
select usher.end_halt(partition, epoch) from stood
