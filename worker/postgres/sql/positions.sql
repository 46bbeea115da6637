-- The next offset of each partition in the request log, the recorded partition count, and the last epoch that a person ended,
-- because it had halted or for a new topic: whoever took the partition since has a later one. A halt that is recorded while
-- somebody begins the next epoch may be of an earlier epoch, and nobody ends it. Whether it lives here.
select s.partition, s.partition_count, s.next_offset,
       greatest((select max(h.epoch) from usher.partition_halt as h
                  where h.partition = s.partition and (h.resumed_at is not null or h.epoch < s.epoch)),
                (select max(t.epoch) - 1 from usher.partition_topic as t where t.partition = s.partition)),
       s.shard is not distinct from (select name from usher.shard)
  from usher.partition_state as s
