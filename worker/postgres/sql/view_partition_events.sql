-- What became of partitions beside their work, the latest first. $1 partition (null: all), $2 rows at most.
select *
  from usher.partition_events
 where $1::text is null or partition = $1::text::integer
 order by happened_at desc, partition
 limit $2::bigint
