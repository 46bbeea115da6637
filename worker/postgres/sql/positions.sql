-- The next offset of each partition in the request log, the recorded partition count, and the epoch in which it halted
-- if a person has it try again and nobody took it since.
select s.partition, s.partition_count, s.next_offset, h.epoch
  from usher.partition_state as s
  left join usher.partition_halt as h
    on h.partition = s.partition and h.epoch = s.epoch - 1 and h.resumed_at is not null
