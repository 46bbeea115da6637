-- name: stand
-- What a database knows of a partition. $1 partition.
select n.name, s.partition is not null, s.shard, s.destination, s.partition_count, s.epoch
  from (select (select name from usher.shard) as name) as n
  left join usher.partition_state as s on s.partition = $1

-- name: tables
-- Tables of the schema that are none of these. $1 names.
select string_agg(c.relname, ', ' order by c.relname)
  from pg_class as c
 where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'p') and c.relname::text <> all ($1::text[])

-- name: leave
-- At the source: from here on it is on its way. $1 partition, $2 target.
update usher.partition_state
   set destination = $2
 where partition = $1 and shard = (select name from usher.shard) and shard <> $2 and coalesce(destination, $2) = $2

-- name: expect
-- At the target. $1 partition, $2 partition count, $3 epoch, $4 source.
insert into usher.partition_state (partition, partition_count, epoch, shard, destination)
select $1, $2, $3, $4, name from usher.shard
on conflict do nothing

-- name: lock
-- At the target, for a page: nobody else moves it, or cancels that. Where the last page ended, and what has work left there,
-- and the charts. $1 partition. No row: it is not expected any more.
select s.next_seq - 1,
       (select coalesce(string_agg(r.no::text, ','), '') from usher.resource as r
         where r.partition = s.partition and (r.unserved or r.cancelling is not null)),
       (select coalesce(array_agg(c.hash), '{}')::text from usher.chart as c where c.partition = s.partition)
  from usher.partition_state as s
 where s.partition = $1 and s.destination = (select name from usher.shard)
   for update

-- name: page
-- At the source: where the next page ends, where all of them do, what has work left here or there, and the row itself.
-- $1 partition, $2 target, $3 where it begins, $4 how long it may be, $5 whether it must stand still: 1 or 0, $6 what has work left there.
select least(s.next_seq - 1, $3::bigint + $4::bigint), s.next_seq - 1,
       concat_ws(',', nullif($6, ''), (select string_agg(r.no::text, ',') from usher.resource as r
                                        where r.partition = s.partition and (r.unserved or r.cancelling is not null))),
       s::text
  from usher.partition_state as s
 where s.partition = $1 and s.destination = $2 and (s.shard is null)::integer = $5

-- name: set
-- Which rows the page has, for both. $1 partition, $2 after this seq, $3 up to this one, $4 resources, $5 charts at the target.
select set_config('usher.partition', $1, true), set_config('usher.after', $2, true), set_config('usher.upto', $3, true),
       set_config('usher.unfinished', $4, true), set_config('usher.charts', $5, true)

-- name: turn
-- At the target: the page is here. $1 partition, $2 up to this seq.
update usher.partition_state set next_seq = $2::bigint + 1 where partition = $1

-- name: stop
-- At the source: it lives nowhere, and its owner is fenced. $1 partition, $2 target.
update usher.partition_state
   set shard = null, epoch = epoch + 1
 where partition = $1 and shard = (select name from usher.shard) and destination = $2

-- name: forget_state
-- $1 partition.
delete from usher.partition_state where partition = $1

-- name: take_state
-- At the target: the source's row takes the place of the one that expected it. $1 the row.
insert into usher.partition_state select (r.state).* from (select $1::text::usher.partition_state as state) as r

-- name: arrive
-- At the target: it lives here. Its owner has no session here yet. $1 partition.
update usher.partition_state
   set shard = destination, destination = null, backend_pid = null, backend_start = null
 where partition = $1

-- name: leave_behind
-- At the source: it lives at the target. $1 partition, $2 target.
update usher.partition_state
   set shard = destination, destination = null
 where partition = $1 and shard is null and destination = $2

-- name: go_on
-- At the source: after a failure it goes on for now. $1 partition, $2 target.
update usher.partition_state
   set shard = (select name from usher.shard)
 where partition = $1 and shard is null and destination = $2

-- name: stay
-- At the source: it lives here after all. $1 partition, $2 target.
update usher.partition_state
   set shard = (select name from usher.shard), destination = null
 where partition = $1 and destination = $2

-- name: give_up
-- At the target: it is not expected any more, and what is here of it can be deleted. A row that is there is locked, and one
-- that is not is made: nobody has it live here meanwhile. $1 partition, $2 partition count, $3 epoch, $4 source. No row: it
-- lives here.
insert into usher.partition_state as s (partition, partition_count, epoch, shard) values ($1, $2, $3, $4)
on conflict (partition) do update set destination = null where s.shard <> (select name from usher.shard)

-- name: left
-- Partitions whose rows are here and that live elsewhere.
select partition, shard
  from usher.partition_state
 where shard <> (select name from usher.shard) and destination is null
 order by partition

-- name: lock_left
-- Makes sure that it is still one of those. $1 partition.
select set_config('usher.partition', partition::text, true)
  from usher.partition_state
 where partition = $1 and shard <> (select name from usher.shard) and destination is null
   for update

-- name: states
-- In words: what this database has of partitions that are being moved, or were.
select case when p.shard = n.name
            then format('partition %s sells in shard %s and is being copied to %s: end that by %s', p.partition, n.name,
                        p.destination, c.command)
            when p.shard is null
            then format('partition %s stands still on its way from shard %s to %s: end that by %s', p.partition, n.name,
                        p.destination, c.command)
            when p.destination = n.name
            then format('shard %s has a part of partition %s, which lives in %s', n.name, p.partition, p.shard)
            else format('shard %s has rows of partition %s, which lives in %s: `usher-worker partition forget-moved` deletes them',
                        n.name, p.partition, p.shard) end
  from usher.partitions as p
 cross join usher.shard as n
 cross join lateral (
     select format('`usher-worker partition move --partition %s --to %s`, or with --cancel', p.partition, p.destination)) as c (command)
 where p.shard is distinct from n.name or p.destination is not null
 order by p.partition
