-- name: list
-- Bookings in partitions that live here that a customer has, or had before they were transferred; over: nothing can become of it any more, and what was
-- answered about it is known to be published. $1 customer; $2 those after this one, $3 so many.
select b.no, r.id, b.request_id, b.state,
       (b.state in ('released', 'cancelled', 'left')
        or b.state in ('confirmed', 'expired')
           and (r.state = 'closed'
                or greatest(coalesce(r.ends_at, r.starts_at),
                            (select (max(p.night) + 1 + time '12:00') at time zone 'UTC' -- morning everywhere
                               from json_array_elements(b.lines::json) as l (line)
                               join usher.pool as p on p.resource_no = r.no and p.index = (l.line ->> 1)::integer)
                           ) < clock_timestamp() - interval '1 day'))
       and (b.no & ((1::bigint << 48) - 1)) <= s.published_seq
       and not exists (select from usher.decision as d
                        where d.booking_no = b.no and d.booking_no <> (d.partition::bigint << 48 | d.seq)
                          and d.seq > s.published_seq)
       and not exists (select from usher.cart_decision as c where c.booking = b.no and c.seq > s.published_seq)
  from usher.booking as b
  join usher.resource as r on r.no = b.resource_no
  join usher.partition_state as s on s.partition = b.partition and s.partition in (select partition from usher.home)
 where b.no in (select o.no from usher.booking as o where o.customer = $1 and o.state <> 'held'
                union
                select o.no from usher.booking as o
                 where o.customer = $1 and o.state = 'held' and o.expires_at is not null
                union
                select f.booking from usher.former_owner as f where f.customer = $1)
   and b.no > $2::bigint
 order by b.no
 limit $3::integer

-- name: answers
-- The answers about bookings, kept for repeats. $1 customer, $2 pseudonym, $3 numbers of bookings.
with about as (
    select (n.no >> 48)::integer as partition, n.no & ((1::bigint << 48) - 1) as seq
      from unnest($3::bigint[]) as n (no)
    union
    select x.partition, x.seq
      from unnest($3::bigint[]) as n (no)
      join usher.decision as x
        on x.booking_no = n.no and x.booking_no is not null and x.booking_no <> (x.partition::bigint << 48 | x.seq)
    union
    select c.partition, c.seq
      from unnest($3::bigint[]) as n (no)
      join usher.cart_decision as c on c.booking = n.no
), found as materialized (
    select d.ctid as place
      from about as a
      join usher.decision as d on d.partition = a.partition and d.seq = a.seq
     where position('"customer":' || to_json($1::text) in d.body) > 0
), changed as (
    update usher.decision as d
       set body = regexp_replace(replace(d.body, '"customer":' || to_json($1::text), '"customer":' || to_json($2::text)),
                             '("payment":|"outcome":"(?:released|cancelled|left)","detail":)"(?:[^"\\]|\\.)*"',
                             '\1"forgotten"', 'g')
     where d.ctid = any (array(select place from found))
    returning 1)
select count(*) from changed having usher.expect('updates of usher.decision', count(*), (select count(*) from found))

-- name: bookings
-- Who has them, and what was said about them. $1 customer, $2 pseudonym, $3 numbers of bookings.
with found as materialized (
    select no from usher.booking where no = any ($3::bigint[]) and customer = $1
), changed as (
    update usher.booking
       set customer = $2, payment = case when payment is not null then 'forgotten' end,
           note = case when note is not null then 'forgotten' end, meta = case when meta is not null then '{}' end
     where no = any (array(select no from found)) and customer = $1
    returning 1)
select count(*) from changed having usher.expect('updates of usher.booking', count(*), (select count(*) from found))

-- name: fence
-- What owners have in memory of them is never written: the next epoch begins, and a halt goes along with it. $1 customer,
-- $2 pseudonym, $3 numbers of bookings.
with found as materialized (
    select partition, epoch
      from usher.partition_state
     where partition in (select (n.no >> 48)::integer from unnest($3::bigint[]) as n (no))
       and $1::text is not null and $2::text is not null
       for update
), changed as (
    update usher.partition_state as s set epoch = s.epoch + 1
      from found as f where s.partition = f.partition
    returning 1
), stood as (
    select h.partition, h.epoch
      from found as f
      join usher.partition_halt as h on h.partition = f.partition and h.epoch = f.epoch and h.resumed_at is null
), halted as (
    update usher.partition_halt as h set epoch = h.epoch + 1
      from stood as s where h.partition = s.partition and h.epoch = s.epoch
    returning 1)
select count(*)
  from changed
having usher.expect('updates of usher.partition_state', count(*), (select count(*) from found))
       and usher.expect('updates of usher.partition_halt', (select count(*) from halted), (select count(*) from stood))

-- name: former_owners
-- $1 customer, $2 pseudonym, $3 numbers of bookings.
with found as materialized (
    select booking from usher.former_owner where customer = $1 and booking = any ($3::bigint[])
), changed as (
    update usher.former_owner set customer = $2
     where customer = $1 and booking = any (array(select booking from found))
    returning 1)
select count(*) from changed having usher.expect('updates of usher.former_owner', count(*), (select count(*) from found))

-- name: letters
-- Dead letters that name a customer lose their value, which cannot be taken apart. $1 customer, $2 pseudonym, for the
-- others' sake.
with found as materialized (
    select l.ctid as place
      from usher.dead_letter as l
      join usher.partition_state as s on l.partition = s.partition and l.seq <= s.published_seq
     where s.partition in (select partition from usher.home) and $2::text is not null
       and position(convert_to(to_json($1::text)::text, 'UTF8') in l.value) > 0
), changed as (
    update usher.dead_letter as l set value = null, truncated = true
     where l.ctid = any (array(select place from found))
    returning 1)
select count(*) from changed having usher.expect('updates of usher.dead_letter', count(*), (select count(*) from found))

-- name: others
-- Answers to a customer that are about no booking, refusals and repeats above all. Goes through all decisions.
-- $1 customer, $2 pseudonym.
with found as materialized (
    select d.ctid as place
      from usher.decision as d
      join usher.partition_state as s on d.partition = s.partition and d.seq <= s.published_seq
     where s.partition in (select partition from usher.home)
       and d.booking_no is null and d.booking_nos is null
       and position('"customer":' || to_json($1::text) in d.body) > 0
), changed as (
    update usher.decision as d
       set body = regexp_replace(replace(d.body, '"customer":' || to_json($1::text), '"customer":' || to_json($2::text)),
                             '("payment":|"outcome":"(?:released|cancelled|left)","detail":)"(?:[^"\\]|\\.)*"',
                             '\1"forgotten"', 'g')
     where d.ctid = any (array(select place from found))
    returning 1)
select count(*) from changed having usher.expect('updates of usher.decision', count(*), (select count(*) from found))
