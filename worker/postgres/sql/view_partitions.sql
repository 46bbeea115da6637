-- Who owns which partition, and where it stands. $1 rows at most.
select p.*, row_to_json(p) as json
  from (select partition, owner,
               case when halted is not null then 'halted' when connected then 'owned' else 'no worker' end as state,
               epoch, acquired_at, next_offset, next_seq, published_seq, last_decided_at, halted_at, halted, partition_count
          from usher.partitions) as p
 order by partition
 limit $1::bigint
