-- Offsets that were decided or skipped, from one up to another one, in the order of both: a skip comes before the decision
-- that was next. $1 partition, $2 epoch of its topic, $3 from seq, $4 up to seq, excluded.
select x.from_offset, x.to_offset
  from (select seq, source_offset, source_offset + 1
          from usher.decision
         where partition = $1 and seq >= $3 and seq < $4 and source_offset is not null
         union all
        select next_seq, coalesce(from_offset, 0), to_offset
          from usher.partition_skip
         where partition = $1 and epoch > $2 and next_seq >= $3 and next_seq < $4
       ) as x (seq, from_offset, to_offset)
 order by x.seq, x.from_offset
