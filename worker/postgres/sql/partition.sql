-- name: accept_loss
-- Goes on behind answers that the database lost the decisions of, and writes it down as a skip of no offset at all. Where it has
-- none left, that is at offset 0, and not at the log's start, as a partition that was never started: what Kafka has deleted meanwhile
-- is passed over by an operator only. $1 partition, $2 its next seq when somebody looked, $3 the highest seq that was answered, $4 why.
-- No row: it moved meanwhile.
with stood as (
    select partition, epoch, next_offset, next_seq
      from usher.partition_state where partition = $1 and next_seq = $2 for update
), moved as (
    update usher.partition_state as s
       set next_offset = coalesce(s.next_offset, 0), next_seq = $3::bigint + 1,
           published_seq = $3::bigint, published_result_offset = null, epoch = s.epoch + 1
      from stood where s.partition = stood.partition
    returning 1
), noted as (
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, next_seq, reason)
    select partition, epoch + 1, coalesce(next_offset, 0), coalesce(next_offset, 0), $3::bigint + 1 - next_seq, $3::bigint + 1, $4
      from stood
    returning 1
)
select usher.expect('updates of usher.partition_state', (select count(*) from moved), 1)
       and usher.expect('inserts into usher.partition_skip', (select count(*) from noted), 1)
       and usher.end_halt(partition, epoch)
  from stood

-- name: accept_topic
-- Takes topics for new ones. $1 partition, $2 which, $3 next offset (null: never started) and $4 next seq when somebody looked,
-- $5 seq behind which answers are published again (null: none is), $6 why.
select usher.accept_topic($1, $2, $3, $4, $5, $6)

-- name: decided
-- Requests that were decided in the present topic, by which it is recognized: the last one, and ever fewer the further back they
-- lie, as the end may be of a topic that nobody has noticed yet. $1 partition.
select distinct d.source_offset, d.request_id
  from usher.partition_state as s
 cross join lateral (
     select coalesce(max(t.next_seq), 1) as first_seq
       from usher.partition_topic as t
      where t.partition = s.partition and t.topics <> 'results') as t
 cross join generate_series(0, 62) as n
 cross join lateral (
     select source_offset, request_id
       from usher.decision
      where partition = s.partition and seq >= t.first_seq and seq <= s.next_seq - (1::bigint << n)
        and source_offset is not null and request_id is not null and outcome <> 'invalid'
      order by seq desc
      limit 1) as d
 where s.partition = $1
 order by d.source_offset desc

-- name: lock
-- Before anything is read for a change. $1 partition. Not null: it does not live here.
select case when s.shard is distinct from n.name then s.partition end
  from usher.partition_state as s
  left join usher.shard as n on true
 where s.partition = $1
   for update of s

-- name: missing
-- Decisions that are to be published and are not there. $1 partition, $2 its next seq.
select count(*), coalesce(min(g.seq), 0), coalesce(max(g.seq), 0)
  from usher.partition_state as s
 cross join generate_series(s.published_seq + 1, $2::bigint - 1) as g (seq)
 where s.partition = $1
   and not exists (select from usher.decision as d where d.partition = s.partition and d.seq = g.seq)

-- name: note_halt
-- Why a partition is halted. $1 partition, $2 epoch, $3 next offset, $4 why. No row: the epoch is over.
with stood as (
    select partition, epoch from usher.partition_state where partition = $1 and epoch = $2
), noted as (
    insert into usher.partition_halt (partition, epoch, next_offset, reason)
    select partition, epoch, $3, $4 from stood
    on conflict do nothing
    returning 1
)
select usher.expect('inserts into usher.partition_halt',
                    (select count(*) from noted)
                    + (select count(*) from usher.partition_halt where partition = $1 and epoch = $2), -- before this statement
                    1)
  from stood

-- name: place
-- Whether it did not live here before. $1 partition, $2 partition count.
select usher.place($1, $2)

-- name: is_home
-- Whether it lives here, but for rows that it left. $1 partition.
select exists (select from usher.home where partition = $1)

-- name: replace_missing
-- Has other answers published in the place of decisions that are not there, and writes it down as a skip of no offset at all. $1
-- partition, $2 its next seq when somebody looked, $3 version of the encoding, $4 why. No row: it moved meanwhile.
with stood as (
    select partition, epoch, next_offset, next_seq, published_seq, now
      from usher.partition_state where partition = $1 and next_seq = $2 for update
), missing as (
    select s.partition, g.seq, coalesce(b.epoch, a.epoch, s.epoch) as epoch,
           coalesce(b.decided_at, a.decided_at, s.now, clock_timestamp()) as at -- time does not go back
      from stood as s
     cross join generate_series(s.published_seq + 1, s.next_seq - 1) as g (seq)
      left join lateral (select d.epoch, d.decided_at from usher.decision as d
                          where d.partition = s.partition and d.seq < g.seq order by d.seq desc limit 1) as b on true
      left join lateral (select d.epoch, d.decided_at from usher.decision as d
                          where d.partition = s.partition and d.seq > g.seq order by d.seq limit 1) as a on true
     where not exists (select from usher.decision as d where d.partition = s.partition and d.seq = g.seq)
), placed as (
    insert into usher.decision (partition, seq, decided_at, epoch, codec, first, replayed, cloud_events, id_hash, content_hash,
                                outcome, reason, body)
    select partition, seq, at, epoch, $3::integer, false, false, false, z.hash, z.hash, 'invalid', 'internal',
           format('"outcome":"invalid","reason":"internal","retryable":true,"detail":"the answer with this seq was lost",'
                  '"unasked":true,"cause":"lost","decided_at":"%s"', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from missing, (values ('00000000-0000-0000-0000-000000000000'::uuid)) as z (hash)
    returning 1
), moved as (
    update usher.partition_state as s set epoch = s.epoch + 1 from stood where s.partition = stood.partition
    returning 1
), noted as (
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, placeholders, next_seq, reason)
    select partition, epoch + 1, coalesce(next_offset, 0), coalesce(next_offset, 0), 0, (select count(*) from placed), next_seq, $4
      from stood
    returning 1
)
select usher.expect('inserts into usher.decision', (select count(*) from placed), (select count(*) from missing))
       and usher.expect('updates of usher.partition_state', (select count(*) from moved), 1)
       and usher.expect('inserts into usher.partition_skip', (select count(*) from noted), 1)
       and usher.end_halt(partition, epoch)
  from stood

-- name: reset_clock
-- Sets the time of a partition back to the server's clock; a halt goes along with the epoch that begins. $1 partition.
with stood as materialized (
    select h.partition, h.epoch
      from usher.partition_state as s
      join usher.partition_halt as h on h.partition = s.partition and h.epoch = s.epoch and h.resumed_at is null
     where s.partition = $1 and s.now > clock_timestamp()
), halted as (
    update usher.partition_halt as h set epoch = h.epoch + 1
      from stood as s where h.partition = s.partition and h.epoch = s.epoch
    returning 1)
select was, became, ends_late, last_end
  from usher.reset_clock($1)
 where usher.expect('updates of usher.partition_halt', (select count(*) from halted), (select count(*) from stood))

-- name: resume
-- Has a halted partition try again. $1 partition.
select usher.resume($1)

-- name: skip
-- Passes over requests. $1 partition, $2 from where it stands (null: never started), $3 to, $4 records, $5 why.
select usher.skip($1, $2, $3, $4, $5)

-- name: withdraw
-- Takes away a partition that was placed here and never started. $1 partition.
select usher.withdraw($1)

-- name: started
-- The name of this shard, if the partition has rows here. $1 partition.
select n.name from usher.shard as n, usher.partition_state as s where s.partition = $1
