-- name: home
-- Whether a partition lives here. $1 partition.
select from usher.home where partition = $1

-- name: page
-- A page of resources of partitions that live here, in the order of their numbers. $1 the number before it, $2 how many at most.
select partition, no, id
  from usher.resource
 where no > $1 and (partition in (select partition from usher.home)) is true
 order by no limit $2

-- name: partitions
-- How many partitions there are; none was ever acquired: 0.
select coalesce(max(partition_count), 0) from usher.partition_state

-- name: pruned
-- Pruned resources that Redis may still show: the next prune deletes them there.
select resource
  from usher.pruned
 where hidden_at is null and (partition in (select partition from usher.home)) is true
