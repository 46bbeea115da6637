-- name: list
-- What can be pruned, partition by partition, with how many decisions would go with it: those about it, what became of
-- its bookings without a request, and repeats. None of partitions that live elsewhere, or are being moved. $1 over before
-- that many seconds ago.
select r.resource_no, r.partition, r.resource, r.ended_at,
       (select count(*) from usher.decision as d where d.resource_no = r.resource_no and d.first)
       + (select count(*) from usher.decision as d
            join usher.decision as c on c.booking_no = d.booking_no
           where d.resource_no = r.resource_no and d.first and d.booking_no = (d.partition::bigint << 48 | d.seq)
             and c.booking_no <> (c.partition::bigint << 48 | c.seq) and not c.first)
       + (select count(*) from usher.decision as d
           where d.resource = r.resource and not d.first and d.booking_no is null and d.partition = r.partition
             and d.seq <= s.published_seq)
  from usher.prunable(clock_timestamp() - $1::bigint * interval '1 second') as r
  join usher.partition_state as s on s.partition = r.partition
 where s.destination is null and s.shard is not distinct from (select name from usher.shard)
 order by r.partition, r.ended_at, r.resource_no

-- name: begin
-- Begins to prune a resource, and says to the statements that delete which, and to prune_end up to which seq answers were
-- published, as far as any beginning of this transaction knew. $1 number, $2 seconds, $3 id.
select set_config('usher.last', p.seq::text, true), set_config('usher.no', $1::bigint::text, true),
       set_config('usher.resource', $3, true),
       set_config('usher.published', greatest(p.seq, nullif(current_setting('usher.published', true), '')::bigint)::text, true)
  from usher.prune_begin($1, clock_timestamp() - $2::bigint * interval '1 second') as p (seq)
 where p.seq is not null and usher.stays(($1::bigint >> 48)::integer)

-- name: allocations
usher.allocation
 where pool in (select no from usher.pool where resource_no = current_setting('usher.no')::bigint)

-- name: aside
-- Repeats, and what could not be read.
usher.decision as d
 where d.resource = current_setting('usher.resource') and not d.first and d.booking_no is null
   and d.partition = (current_setting('usher.no')::bigint >> 48)::integer and d.seq <= current_setting('usher.last')::bigint

-- name: bookings
usher.booking
 where no in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))

-- name: cart_decisions
usher.cart_decision
 where booking in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))

-- name: changes
-- What became of its bookings without a request of its own.
usher.decision as c
 where c.booking_no in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))
   and c.booking_no is not null and c.booking_no <> (c.partition::bigint << 48 | c.seq) and not c.first

-- name: dead_letters
-- Dead letters that name the resource.
usher.dead_letter
 where (partition, seq) in (
        select d.partition, d.seq from usher.decision as d
         where d.resource = current_setting('usher.resource') and not d.first and d.booking_no is null
           and d.partition = (current_setting('usher.no')::bigint >> 48)::integer
           and d.seq <= current_setting('usher.last')::bigint)

-- name: decisions
usher.decision as d
 where d.resource_no = current_setting('usher.no')::bigint and d.first and d.seq <= current_setting('usher.last')::bigint

-- name: end
-- A halt goes along with the epoch that begins. $1 number, $2 partition, $3 id, $4 ended at, $5 decisions, $6 bookings, $7 dead
-- letters.
with stood as (
    select h.partition, h.epoch
      from usher.partition_state as s
      join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.epoch and h.resumed_at is null
     where s.partition = $2
), halted as (
    update usher.partition_halt as h set epoch = h.epoch + 1
      from stood as s where h.partition = s.partition and h.epoch = s.epoch
    returning 1)
select usher.prune_end($1, $2, $3, $4, $5, $6, $7)
 where usher.expect('updates of usher.partition_halt', (select count(*) from halted), (select count(*) from stood))

-- name: former_owners
usher.former_owner
 where booking in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))

-- name: hidden
-- Its keys in Redis are deleted. $1 number.
with hidden as (
    update usher.pruned set hidden_at = clock_timestamp() where resource_no = $1 returning 1)
select usher.expect('updates of usher.pruned', count(*), 1) from hidden

-- name: lock
-- Before the end: what is read from here on is as it is under the lock of the partition's row. $1 partition.
select from usher.partition_state where partition = $1 for no key update

-- name: pools
usher.pool where resource_no = current_setting('usher.no')::bigint

-- name: quarters
usher.quarter where resource_no = current_setting('usher.no')::bigint

-- name: resource
usher.resource where no = current_setting('usher.no')::bigint

-- name: shown
-- Pruned resources that Redis may still show; those of partitions that moved away are shown by their new home.
select resource_no, resource, epoch
  from usher.pruned
 where hidden_at is null and (partition in (select partition from usher.home)) is true
 order by resource_no limit 1000
