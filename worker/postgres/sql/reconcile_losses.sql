-- What the database lost and an operator accepted: to be known, and no difference.
select format('partition %s: the decisions from seq %s to %s were lost, which %s accepted on %s: %s', partition,
              next_seq - records, next_seq - 1, skipped_by, to_char(skipped_at at time zone 'UTC', 'YYYY-MM-DD'), reason)
  from usher.partition_skip
 where from_offset = to_offset
