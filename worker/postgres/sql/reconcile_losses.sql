-- What the database lost and an operator accepted: to be known, and no difference.
select format('partition %s: %s, which %s accepted on %s: %s', partition,
              case placeholders
              when 0 then format('the decisions from seq %s to %s were lost', next_seq - records, next_seq - 1)
              else format('%s of the decisions before seq %s were lost before they were published', placeholders, next_seq)
              end, skipped_by, to_char(skipped_at at time zone 'UTC', 'YYYY-MM-DD'), reason)
  from usher.partition_skip
 where from_offset = to_offset
