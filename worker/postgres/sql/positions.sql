-- The next offset of each partition in the request log, and the recorded partition count.
select partition, partition_count, next_offset from usher.partition_state
