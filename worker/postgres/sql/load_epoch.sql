-- The stored epoch of a partition (0: none) and the server's clock in milliseconds. $1 partition.
select coalesce((select epoch from usher.partition_state where partition = $1), 0),
       (extract(epoch from clock_timestamp()) * 1000)::bigint
