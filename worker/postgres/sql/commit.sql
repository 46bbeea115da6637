-- name: advance
-- The guard of a batch, sent first: moves the partition on, or fails if this worker no longer owns it.
-- $1 partition, $2 epoch, $3, $4 next offset and seq as expected, $5, $6 as they become, $7 the batch's time,
-- $8 offset and $9 fingerprint of the last record, $10 seq and $11 offset up to which answers are published,
-- $12 holds that are open and $13 parties that wait.
select usher.advance($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: free
-- Deletes allocations. $1 allocations.
-- Rows are found key by key (lateral … offset 0) and then met by their place (ctid): joined plainly, the planner
-- scans a table that it believes to be small, and keeps that plan while the table grows. Only this worker writes the
-- rows of its partition, so places stand still.
with gone as (
    delete from usher.allocation
     where ctid = any (array(
               select a.place
                 from unnest($1::usher.allocation_row[]) as f
                cross join lateral (
                    select ctid as place
                      from usher.allocation
                     where pool = f.pool and unit = f.unit and booking = f.booking
                    offset 0) as a))
    returning 1)
select usher.expect('deletes from usher.allocation', count(*), cardinality($1)) from gone

-- name: take
-- Inserts allocations, without ON CONFLICT: a unit that has an owner is a failure. $1 allocations.
-- A bare `select *`, as in commit.sql: add_bookings.
with added as (
    insert into usher.allocation (pool, booking, unit)
    select * from unnest($1::usher.allocation_row[])
    returning 1)
select usher.expect('inserts into usher.allocation', count(*), cardinality($1)) from added

-- name: add_bookings
-- Inserts bookings. $1 bookings. Only with a bare `select *` does each row go in as it came, without being taken apart:
-- that makes a hold a twentieth cheaper.
with added as (
    insert into usher.booking (no, partition, resource_no, created_at, expires_at, total, state, op, request_id, client,
                               customer, cart, payment, note, lines, meta, ttl_s, wants, sold_at)
    select * from unnest($1::usher.new_booking_row[])
    returning 1)
select usher.expect('inserts into usher.booking', count(*), cardinality($1)) from added

-- name: add_cart_decisions
-- Inserts, for each booking of a decision that changed several, where to find that decision. $1 partition, $2 rows.
with added as (
    insert into usher.cart_decision (partition, booking, seq)
    select $1, d.* from unnest($2::usher.cart_decision_row[]) as d
    returning 1)
select usher.expect('inserts into usher.cart_decision', count(*), cardinality($2)) from added

-- name: add_charts
-- Inserts charts. $1 partition, $2 charts. Their hash names their content: one that exists is the same.
with added as (
    insert into usher.chart (partition, hash, content)
    select $1, hash, content from unnest($2::usher.chart_row[])
    on conflict do nothing
    returning 1),
wanted as (
    select distinct hash from unnest($2))
select usher.expect('inserts into usher.chart',
                    (select count(*) from added)
                    + (select count(*) -- before this statement
                         from wanted as w
                        cross join lateral (
                            select from usher.chart where partition = $1 and hash = w.hash offset 0) as c),
                    (select count(*) from wanted))

-- name: add_dead_letters
-- Inserts dead letters. $1 partition, $2 dead letters.
with added as (
    insert into usher.dead_letter (partition, seq, source_offset, truncated, reason, key, value)
    select $1, d.* from unnest($2::usher.dead_letter_row[]) as d
    returning 1)
select usher.expect('inserts into usher.dead_letter', count(*), cardinality($2)) from added

-- name: add_decisions
-- Inserts decisions. $1 decisions, $2 how many there must be. A bare `select *`, as in commit.sql: add_bookings.
with added as (
    insert into usher.decision (seq, source_offset, resource_no, booking_no, decided_at, appended_at, partition, epoch,
                                codec, first, replayed, cloud_events, id_hash, content_hash, outcome, op, reason,
                                request_id, resource, key, client, traceparent, body, booking_nos)
    select * from unnest($1::usher.decision_row[])
    returning 1)
select usher.expect('inserts into usher.decision', count(*), $2) from added

-- name: add_pools
-- Inserts pools. $1 pools, without their rates and restrictions; $2 and $3 for each of them the places of these two in $4, from
-- 0; null: none. $4 such lists as a JSON array of texts, so that each comes but once: its elements are found by their place,
-- while those of text[] would be looked for one after the other, for each pool.
with added as (
    insert into usher.pool (no, resource_no, index, kind, name, night, title, capacity, price, overbook, over, rates,
                            properties, restrictions, spares, held, sold, blocked)
    select p.no, p.resource_no, p.index, p.kind, p.name, p.night, p.title, p.capacity, p.price, p.overbook, p.over,
           (select $4::text::jsonb) ->> p.list, p.properties, (select $4::text::jsonb) ->> p.rules, p.spares,
           p.held, p.sold, p.blocked
      from unnest($1::usher.pool_row[], $2::integer[], $3::integer[])
        as p (no, resource_no, index, kind, name, night, title, capacity, price, overbook, over, rates, properties,
              restrictions, spares, held, sold, blocked, list, rules)
    returning 1)
select usher.expect('inserts into usher.pool', count(*), cardinality($1)) from added

-- name: add_quarters
-- Adds to the sums of quarters of an hour. $1 rows, each key once. Beyond a hundred rows of a resource in one of them, rates and
-- clients that are new share a row without either, so that nobody who publishes makes it grow.
with given as materialized (
    select q.resource_no, q.began_at, q.outcome, case when k.is_kept then q.rate else '' end as rate,
           case when k.is_kept then q.client else '' end as client,
           sum(q.bookings)::bigint as bookings, sum(q.units)::bigint as units, sum(q.amount) as amount
      from unnest($1::usher.quarter_row[]) as q
     cross join lateral (
         select exists (
                    select from usher.quarter
                     where resource_no = q.resource_no and began_at = q.began_at and outcome = q.outcome
                       and rate = q.rate and client = q.client)
                or (select count(*) from usher.quarter
                     where resource_no = q.resource_no and began_at = q.began_at) < 100 as is_kept offset 0) as k
     group by 1, 2, 3, 4, 5),
added as (
    insert into usher.quarter as q (resource_no, began_at, outcome, rate, client, bookings, units, amount)
    select * from given
    on conflict (resource_no, began_at, outcome, rate, client) do update
       set bookings = q.bookings + excluded.bookings, units = q.units + excluded.units, amount = q.amount + excluded.amount
    returning 1)
select usher.expect('upserts into usher.quarter', (select count(*) from added), (select count(*) from given))

-- name: add_resources
-- Inserts resources. $1 partition, $2 resources.
with added as (
    insert into usher.resource (partition, no, id, state, name, venue, description, timezone, currency, starts_at, ends_at,
                                hold_ttl_s, rev, chart, opens_at, closes_at, strategy, terms, cancelling, unserved, takings,
                                promised, by_rate)
    select $1, r.* from unnest($2::usher.resource_row[]) as r
    returning 1)
select usher.expect('inserts into usher.resource', count(*), cardinality($2)) from added

-- name: change_bookings
-- Changes bookings; each must be in the state that the batch expects. $1 changes, $2 the batch's time: that of a sale.
-- Rows are met as in commit.sql: free.
-- A booking that changes hands leaves its former owner on record; it may have had the same one before.
with changed as (
    update usher.booking as b
       set state = c.state, created_at = c.created_at, expires_at = c.expires_at,
           ttl_s = c.ttl_s, total = c.total, customer = c.customer, cart = c.cart,
           payment = c.payment, note = c.note, wants = c.wants, lines = c.lines,
           sold_at = case when c.state = 'confirmed' and c.was <> 'confirmed' then $2 else b.sold_at end
      from unnest($1::usher.booking_change_row[]) as c
     cross join lateral (
         select ctid as place, customer
           from usher.booking
          where no = c.no and state = c.was
         offset 0) as p
     where b.ctid = p.place
    returning b.no, p.customer as former, c.customer),
handed_over as (
    insert into usher.former_owner (customer, booking)
    select former, no from changed where former <> customer
    on conflict do nothing
    returning 1)
select usher.expect('updates of usher.booking', count(*), cardinality($1))
       and usher.expect('inserts into usher.former_owner',
                        (select count(*) from handed_over)
                        + (select count(*) -- before this statement
                             from changed as c
                            cross join lateral (
                                select from usher.former_owner where customer = c.former and booking = c.no offset 0) as o
                            where c.former <> c.customer),
                        count(*) filter (where former <> customer))
  from changed

-- name: change_pools
-- Changes pools, whose counters must stand where the batch expects. $1 pools, $2 … $4 their rates and restrictions as
-- in commit.sql: add_pools; rows are met as in commit.sql: free.
-- Capacity and counters together: one of them alone might break the check that fewer are taken than there are.
with changed as (
    update usher.pool as p
       set kind = c.kind, title = c.title, capacity = c.capacity, price = c.price,
           overbook = c.overbook, over = c.over, rates = (select $4::text::jsonb) ->> c.list, properties = c.properties,
           restrictions = (select $4::text::jsonb) ->> c.rules, spares = c.spares,
           held = c.held, sold = c.sold, blocked = c.blocked
      from unnest($1::usher.pool_change_row[], $2::integer[], $3::integer[])
        as c (no, resource_no, index, kind, title, capacity, price, overbook, over, rates, properties, restrictions, spares,
              was_held, was_sold, was_blocked, held, sold, blocked, list, rules)
     cross join lateral (
         select ctid as place
           from usher.pool
          where no = c.no and resource_no = c.resource_no and index = c.index
            and held = c.was_held and sold = c.was_sold and blocked = c.was_blocked
         offset 0) as o
     where p.ctid = o.place
    returning 1)
select usher.expect('updates of usher.pool', count(*), cardinality($1)) from changed

-- name: change_resources
-- Changes resources, none of which may have a later revision. $1 resources; rows are met as in commit.sql: free.
with changed as (
    update usher.resource as r
       set state = c.state, name = c.name, venue = c.venue, description = c.description,
           timezone = c.timezone, currency = c.currency, starts_at = c.starts_at,
           ends_at = c.ends_at, hold_ttl_s = c.hold_ttl_s, rev = c.rev, chart = c.chart,
           opens_at = c.opens_at, closes_at = c.closes_at, strategy = c.strategy,
           terms = c.terms, cancelling = c.cancelling, unserved = c.unserved, takings = c.takings,
           promised = c.promised, by_rate = c.by_rate
      from unnest($1::usher.resource_row[]) as c
     cross join lateral (
         select ctid as place
           from usher.resource
          where no = c.no and rev <= c.rev
         offset 0) as p
     where r.ctid = p.place
    returning 1)
select usher.expect('updates of usher.resource', count(*), cardinality($1)) from changed

-- name: mark_resources
-- Sets what selling changes of a resource. $1 marks; rows are met as in commit.sql: free.
with changed as (
    update usher.resource as r
       set rev = m.rev, cancelling = m.cancelling, unserved = m.unserved, takings = m.takings,
           promised = m.promised, by_rate = coalesce(m.by_rate, r.by_rate)
      from unnest($1::usher.resource_mark_row[]) as m
     cross join lateral (
         select ctid as place
           from usher.resource
          where no = m.no and rev <= m.rev
         offset 0) as p
     where r.ctid = p.place
    returning 1)
select usher.expect('updates of usher.resource', count(*), cardinality($1)) from changed

-- name: move_pools
-- Moves the counters of pools, each of which must stand where the batch expects. $1 moves, one of each pool; rows are
-- met as in commit.sql: free.
with moved as (
    update usher.pool as p
       set held = m.held, sold = m.sold, blocked = m.blocked
      from unnest($1::usher.pool_move_row[]) as m
     cross join lateral (
         select ctid as place
           from usher.pool
          where no = m.no and held = m.was_held and sold = m.was_sold and blocked = m.was_blocked
         offset 0) as o
     where p.ctid = o.place
    returning 1)
select usher.expect('updates of usher.pool', count(*), cardinality($1)) from moved
