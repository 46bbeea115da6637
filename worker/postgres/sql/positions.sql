-- The next offset of each partition in the request log, the recorded partition count, and the epoch that a person ended,
-- because it had halted or for a new topic, if nobody took the partition since; and whether it lives here.
select s.partition, s.partition_count, s.next_offset, coalesce(h.epoch, t.epoch - 1),
       s.shard is not distinct from (select name from usher.shard)
  from usher.partition_state as s
  left join usher.partition_halt as h
    on h.partition = s.partition and h.epoch = s.epoch - 1 and h.resumed_at is not null
  left join usher.partition_topic as t
    on t.partition = s.partition and t.epoch = s.epoch
