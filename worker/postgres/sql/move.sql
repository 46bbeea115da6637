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

-- name: hold
-- At the source, before it may leave: waits for whatever holds the partitions where they are, and keeps it away.
select from usher.shard for update

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

-- name: version
-- Of the schema.
select max(version)::text from usher.schema_migration

-- name: lock
-- At the target, for a page: nobody else moves it, or cancels that. $1 partition. No row: it is not expected any more.
select from usher.partition_state
 where partition = $1 and destination = (select name from usher.shard)
   for update

-- name: begin
-- At the target, under that lock: where the last page ended, and what has work left there, and the charts. In a statement of its
-- own, for one that has waited for a lock knows only the row that it locked as it is then. $1 partition.
select s.next_seq - 1,
       (select coalesce(string_agg(r.no::text, ','), '') from usher.resource as r
         where r.partition = s.partition and (r.unserved or r.cancelling is not null)),
       (select coalesce(array_agg(c.hash), '{}')::text from usher.chart as c where c.partition = s.partition)
  from usher.partition_state as s
 where s.partition = $1

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
-- Which rows the page has, for both. $1 partition, $2 after this seq, $3 up to this one, $4 resources, $5 charts at the target,
-- $6 seq of the source's last decision.
select set_config('usher.partition', $1, true), set_config('usher.after', $2, true), set_config('usher.upto', $3, true),
       set_config('usher.unfinished', $4, true), set_config('usher.charts', $5, true),
       set_config('usher.last', $6, true)

-- name: turn
-- At the target: the page is here. $1 partition, $2 up to this seq.
update usher.partition_state set next_seq = $2::bigint + 1 where partition = $1

-- name: lock_source
-- At the source. $1 partition.
select from usher.partition_state where partition = $1 for update

-- name: stop
-- At the source, under that lock: it lives nowhere, and its owner is fenced; a halt goes along with the epoch that begins.
-- $1 partition, $2 target.
with stopped as (
    update usher.partition_state
       set shard = null, epoch = epoch + 1
     where partition = $1 and shard = (select name from usher.shard) and destination = $2
    returning partition, epoch - 1 as before
), stood as (
    select h.partition, h.epoch
      from stopped as s
      join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.before and h.resumed_at is null
), halted as (
    update usher.partition_halt as h set epoch = h.epoch + 1
      from stood as s where h.partition = s.partition and h.epoch = s.epoch
    returning 1)
select from stopped
 where usher.expect('updates of usher.partition_halt', (select count(*) from halted), (select count(*) from stood))

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

-- name: note
-- At its home: writes down that it was moved there, or that rows that it had left were deleted. $1 partition, $2 source, $3 target; null:
-- they were deleted.
insert into usher.partition_move (partition, source, target) values ($1, $2, $3)

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

-- name: owner
-- At the source: how the session of the worker that has the partition is called, if by its own name. $1 partition.
select (select a.application_name
          from usher.partition_state as s
          join pg_stat_activity as a on a.pid = s.backend_pid and a.datname = current_database()
         where s.partition = $1 and a.application_name like 'usher-worker %')

-- name: session
-- At the target: a row for each session of that worker. $1 how it is called.
select from pg_stat_activity where datname = current_database() and application_name = $1

-- name: sessions
-- Programs that work with the views or the tables here, by the names that their sessions have.
select distinct a.application_name
  from pg_stat_activity as a
  join pg_roles as r on r.oid = a.usesysid and not r.rolsuper
 where a.datname = current_database() and a.application_name <> ''
   and (pg_has_role(a.usesysid, 'usher_reader', 'member') or pg_has_role(a.usesysid, 'usher_worker', 'member'))
 order by a.application_name

-- name: followed
-- At the target: a row once a worker has it there, or it has moved on. $1 partition.
select from usher.partition_state
 where partition = $1 and (backend_pid is not null or shard is distinct from (select name from usher.shard))

-- name: copy
-- What is here of a partition that lives elsewhere, for `missing`. $1 partition.
select json_build_object(
           'next_seq', s.next_seq, 'next_offset', s.next_offset, 'epoch', s.epoch,
           'decisions', (select count(*) from usher.decision as d where d.partition = s.partition and d.seq < s.next_seq),
           'pruned', (select coalesce(sum(p.decisions), 0) from usher.pruned as p where p.partition = s.partition))::text
  from usher.partition_state as s
 where s.partition = $1

-- name: missing
-- At its home: what is not here of it, in words; null: all is. What was pruned since was here; a topic that was accepted since has
-- other offsets. $1 partition, $2 the copy.
select case when s.next_seq is null or s.shard is distinct from (select name from usher.shard)
            then 'it does not live there any more'
            when s.next_seq < c.next_seq
            then format('seq %s is the next one there, and %s here', s.next_seq, c.next_seq)
            when coalesce(s.next_offset, 0) < c.next_offset
                 and not exists (select from usher.partition_topic as t
                                  where t.partition = s.partition and t.topics <> 'results' and t.epoch > c.epoch)
            then format('offset %s is the next one there, and %s here', coalesce(s.next_offset, 0), c.next_offset)
            when h.decisions + h.pruned - c.pruned < c.decisions
            then format('%s of its %s decisions are not there', c.decisions + c.pruned - h.decisions - h.pruned, c.decisions) end
  from json_to_record($2::text::json) as c (next_seq bigint, next_offset bigint, epoch integer, decisions bigint, pruned bigint)
  left join usher.partition_state as s on s.partition = $1
 cross join lateral (
     select (select count(*) from usher.decision as d where d.partition = s.partition and d.seq < c.next_seq) as decisions,
            (select coalesce(sum(p.decisions), 0)::bigint from usher.pruned as p where p.partition = s.partition) as pruned) as h
