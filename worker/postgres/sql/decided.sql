-- name: partitions
-- Where each partition stands in the log, and from which decision on it is known what was decided before that: not where
-- some were pruned or have placeholders, nor in a topic that was replaced, as offsets that fall show where nobody wrote it
-- down. $1 how many decisions at most. Whether it is the first one of the topic: then the log is known from its start on.
select s.partition, coalesce(t.epoch, 0), s.next_offset, s.next_seq, f.seq, f.seq = b.seq
  from usher.partition_state as s
  left join (select partition, max(epoch) as epoch, max(next_seq) as next_seq
               from usher.partition_topic where topics <> 'results' group by partition) as t
    on t.partition = s.partition
 cross join lateral (select coalesce(t.next_seq, 1)) as b (seq)
 cross join lateral (
     select greatest(b.seq, s.next_seq - $1::bigint,
                     (select max(p.last_seq) + 1 from usher.pruned as p where p.partition = s.partition),
                     (select max(k.next_seq) from usher.partition_skip as k
                       where k.partition = s.partition and k.placeholders > 0),
                     (select max(o.seq)
                        from (select d.seq, d.source_offset < lag(d.source_offset) over (order by d.seq) as falls
                                from usher.decision as d
                               where d.partition = s.partition and d.source_offset is not null
                                 and d.seq >= greatest(b.seq, s.next_seq - $1::bigint)) as o
                       where o.falls))) as f (seq)
 where s.next_offset is not null and (s.partition in (select partition from usher.home)) is true
 order by s.partition

-- name: ranges
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
