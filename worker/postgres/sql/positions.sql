-- Where each partition goes on in the request log, and how many partitions there were when it was first acquired.
select partition, partition_count, next_offset from usher.partition_state
