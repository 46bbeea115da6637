-- name: session
-- The session of who asks views: the time limits and the planner's settings are those of the role again.
reset all;
set search_path = pg_catalog;
set timezone = 'UTC';
set default_transaction_read_only = on;
set jit = off

-- name: bookings
-- Bookings, the latest first. $1 customer, $2 resource, $3 booking, $4 state, $5 section and $6 unit of a seat that it has,
-- $7 cart, $8 rows at most. A booking is found by its number, and so is the one that has a seat. What ended it is the decision
-- whose outcome is its state. The last column is for those who put several databases in order.
select b.resource, b.booking, b.customer, b.state, b.units, b.total, b.currency, b.created_at, b.sold_at, b.ends_at, b.cart,
       b.client, b.payment, b.note, b.meta, b.items, e.ended_at, e.cause, e.detail, b.booking_number
  from (select *
          from usher.bookings
         where ($1::text is null or customer = $1) and ($2::text is null or resource = $2)
           and ($3::text is null
                or booking_number = any(case when $2::text is null then usher.booking_numbers($3)
                                             else array[usher.booking_number($2, $3)] end))
           and ($4::text is null or state = $4)
           and ($5::text is null
                or booking_number = (select usher.booking_number($2, t.booking)
                                       from usher.taken_seats as t
                                      where t.resource = $2 and t.section = $5 and t.unit = $6::text::integer))
           and ($7::text is null or cart = $7)
         order by created_at desc, booking_number desc
         limit $8::bigint) as b
  left join lateral (
      select decided_at as ended_at, answer ->> 'cause' as cause, detail
        from usher.history
       where booking_number = b.booking_number and outcome = b.state and not replayed
         and b.state in ('released', 'expired', 'cancelled', 'left')
       order by seq desc
       limit 1) as e on true
 order by b.created_at desc, b.booking_number desc

-- name: cart
-- A cart with its bookings; of each customer who has one of that name. $1 cart, $2 customer, $3 rows at most.
select cart, customer, state, bookings, units, totals, created_at, modified_at, sold_at, lines
  from usher.cart
 where cart = $1 and ($2::text is null or customer = $2)
 order by created_at desc, customer
 limit $3::bigint

-- name: cart_bookings
-- Of several databases: the bookings of carts. $1 cart, $2 customer, $3 JSON [[customer, cart], …], in place of all.
select *
  from usher.cart_booking
 where $3::text is null and ($1::text is null or cart = $1) and ($2::text is null or customer = $2)
union all
select b.*
  from (select distinct n ->> 0 as customer, n ->> 1 as cart from json_array_elements($3::json) as n) as k
 cross join lateral (
     select * from usher.cart_booking where customer = k.customer and cart = k.cart offset 0) as b
 where ($1::text is null or b.cart = $1) and ($2::text is null or b.customer = $2)

-- name: cart_names
-- Of several databases: which carts have a booking that was made or changed $1 seconds ago at most.
select json_build_array(customer, cart) as name
  from usher.carts_between(now() - $1::text::bigint * interval '1 second', 'infinity')

-- name: carts
-- Carts, the latest first. $1 customer, $2 state, $3 seconds ago at most when one of its bookings was made or changed, $4 rows
-- at most. Of a time, they are found by what was decided then, else all are read, or all of the customer.
select *
  from (select cart, customer, state, bookings, units, totals, created_at, modified_at, sold_at
          from usher.cart
         where $3::text is null
        union all
        select c.*
          from usher.carts_between(now() - $3::text::bigint * interval '1 second', 'infinity') as k
         cross join lateral (
             select cart, customer, state, bookings, units, totals, created_at, modified_at, sold_at
               from usher.cart
              where customer = k.customer and cart = k.cart offset 0) as c
         where $3::text is not null) as c
 where ($1::text is null or customer = $1) and ($2::text is null or state = $2)
 order by created_at desc, cart, customer
 limit $4::bigint

-- name: carts_of
-- Of several databases: carts of the bookings that all of them have, as usher.cart has those of one. $1 JSON, $2 state, $3 rows at
-- most.
with booking as materialized (select * from json_populate_recordset(null::usher.cart_booking, $1::json))
select *
  from (
          select c.cart,
                 c.customer,
                 case when bool_or(c.state in ('held', 'released', 'expired') and c.sold_at is null
                                   and c.last_sold_at >= c.created_at)
                           then 'mixed'
                      when bool_or(c.state = 'held') then 'held'
                      when bool_or(c.state = 'waiting') then 'waiting'
                      when bool_or(c.state = 'confirmed') then 'confirmed'
                      when bool_and(c.state = 'expired') then 'expired'
                      else 'cancelled' end as state,
                 count(*) as bookings,
                 coalesce(sum(c.units) filter (where c.state in ('held', 'confirmed')), 0)::bigint as units,
                 (select coalesce(json_object_agg(coalesce(t.currency, ''), t.total order by t.currency), '{}')
                    from (select b.currency, least(sum(b.total), 9007199254740991)::bigint as total
                            from booking as b
                           where b.customer = c.customer and b.cart = c.cart and b.state in ('held', 'confirmed')
                           group by b.currency) as t) as totals,
                 min(c.created_at) as created_at,
                 max(c.changed_at) as modified_at,
                 max(c.sold_at) as sold_at,
                 json_agg(json_strip_nulls(json_build_object(
                     'resource', c.resource, 'booking', c.booking, 'state', c.state, 'units', c.units, 'total', c.total,
                     'currency', c.currency, 'created_at', c.created_at, 'sold_at', c.sold_at, 'ends_at', c.ends_at,
                     'items', c.items))
                     order by c.created_at, c.booking_number) as lines
            from (select b.*,
                         max(b.sold_at) filter (where b.state = 'confirmed' and b.op = 'hold') over (
                             partition by b.customer, b.cart
                             order by case when b.sold_at is not null then b.sold_at
                                           when b.state in ('expired', 'released') then least(
                                               b.ends_at + interval '10 seconds',
                                               case b.state when 'released' then b.changed_at end)
                                           else 'infinity' end) as last_sold_at
                    from booking as b) as c
           group by c.customer, c.cart) as c
 where $2::text is null or state = $2
 order by created_at desc, cart collate "C", customer collate "C"
 limit $3::bigint

-- name: dead_letters
-- Records that could not be processed, the latest first; key and value as hexadecimal digits.
-- $1 resource, $2 reason, $3 partition-seq, $4 rows at most.
select partition || '-' || seq as id, partition, seq, source_offset, decided_at, reason, detail, resource, request_id,
       client, size, truncated, encode(key, 'hex') as key_hex, encode(value, 'hex') as value_hex
  from usher.dead_letters
 where ($1::text is null or resource = $1) and ($2::text is null or reason = $2)
   and ($3::text is null
        or partition = split_part($3, '-', 1)::integer and seq = split_part($3, '-', 2)::bigint)
 order by decided_at desc, partition, seq desc
 limit $4::bigint

-- name: door
-- Who comes, with what they bought, in the order of the hall; of a night with all nights of their booking.
-- $1 resource, $2 night, $3 rows at most.
select night, pool, seat, place, quantity, rate, customer, booking, cart,
       case when $2::text is not null
            then (select b.items from usher.bookings as b where b.booking_number = d.booking_number and b.resource = $1) end as items
  from usher.door_list as d
 where resource = $1 and ($2::text is null or night::text = $2)
 order by night, pool, unit, customer, booking
 limit $3::bigint

-- name: hall
-- The layout of the hall of a resource. $1 resource, $2 rows at most.
select layout from usher.hall where resource = $1 limit $2::bigint

-- name: history
-- Decisions, the latest first. $1 customer, $2 resource, $3 request id, $4 booking, $5 seconds ago at most, $6 cart,
-- $7 rows at most. The customer of a row is who asked, as the answer says: a booking itself knows only its present owner. That of a
-- transfer is the new owner; the one before was told by the decision before, and of a part by that about the booking which it
-- left. What concerns no booking, as a refusal, is found by no index of customers: of one customer it is looked for among the decisions of the resource, or among all
-- since that time; only the answers of transfers and of that customer are read whole. A request without its resource is
-- looked for in each resource or, of a time, among all decisions since. A transfer is in the view once for each owner, here once.
with concerned as not materialized (
    select *
      from usher.history
     where $1::text is null and $6::text is null and resource = $2 and ($3::text is null or request_id = $3)
       and ($4::text is null or booking_number = usher.booking_number($2, $4))
    union all
    select h.*
      from (select distinct booking_number
              from usher.history
             where $6::text is null and customer = $1 and ($2::text is null or resource = $2)) as b
     cross join lateral (select * from usher.history where booking_number = b.booking_number offset 0) as h
    union all
    select h.*
      from (select booking_number
              from usher.bookings
             where cart = $6 and ($1::text is null or customer = $1) and ($2::text is null or resource = $2)) as b
     cross join lateral (select * from usher.history where booking_number = b.booking_number offset 0) as h
    union all
    select *
      from usher.history
     where $1::text is not null and $4::text is null and $6::text is null and resource = $2 and booking_number is null
       and (answer ->> 'customer' = $1 or outcome = 'transferred')
    union all
    select h.*
      from usher.partition_span(now() - $5::text::bigint * interval '1 second', 'infinity') as s
     cross join lateral (
         select *
           from usher.history
          where partition = s.partition and seq >= s.first_seq and seq < s.end_seq and booking_number is null
            and (answer ->> 'customer' = $1 or outcome = 'transferred')
         offset 0) as h
     where $1::text is not null and $2::text is null and $6::text is null and $5::text::bigint is not null
    union all
    select h.*
      from unnest(usher.booking_numbers($4)) as b (number)
     cross join lateral (select * from usher.history where booking_number = b.number offset 0) as h
     where $4::text is not null and $1::text is null and $2::text is null and $6::text is null
    union all
    select h.*
      from (select * from usher.decisions_on($3) where $5::text is null
            union all
            select *
              from usher.decisions_between(now() - $5::text::bigint * interval '1 second', 'infinity', $3, $7::bigint)
             where $5::text is not null) as d
     cross join lateral (
         (select * from usher.history
           where booking_number = d.booking_number and partition = d.partition and seq = d.seq)
         union all
         (select * from usher.history
           where d.booking_number is null and booking_number is null and partition = d.partition and seq = d.seq)
         offset 0) as h
     where $4::text is null and $1::text is null and $2::text is null and $6::text is null
), told as (
    select * from concerned where outcome <> 'transferred'
    union all
    (select distinct on (partition, seq, booking_number) * from concerned where outcome = 'transferred')
)
select decided_at, resource, request_id, op, outcome, reason, detail, who.customer, who.to_customer, told.booking,
       case when not replayed then total end as total, currency, partition, seq, source_offset as "offset", unasked, replayed,
       client, answer
  from told
 cross join lateral (
     select case when outcome = 'transferred'
                 then coalesce(answer #>> '{units,0,booking}', answer ->> 'booking') end as booking offset 0) as whole
 cross join lateral (
     select case when outcome = 'transferred' then answer ->> 'customer' end as to_customer,
            case when outcome <> 'transferred' then answer ->> 'customer'
                 else (select b.answer ->> 'customer'
                         from usher.history as b
                        where b.booking_number = usher.booking_number(told.resource, whole.booking)
                          and (b.outcome <> 'transferred' or b.answer ->> 'booking' = whole.booking)
                          and b.seq < (select min(t.seq)
                                         from usher.history as t
                                        where t.booking_number = usher.booking_number(told.resource, whole.booking)
                                          and t.request_id = told.request_id and t.outcome = 'transferred')
                        order by b.seq desc limit 1) end as customer offset 0) as who
 where ($3::text is null or request_id = $3) and ($4::text is null
        or booking_number = any(case when $2::text is null then usher.booking_numbers($4)
                                     else array[usher.booking_number($2, $4)] end))
   and ($5::text::bigint is null or decided_at >= now() - $5::text::bigint * interval '1 second')
   and ($1::text is null or who.customer = $1 or who.to_customer = $1)
 order by decided_at desc, partition, seq desc
 limit $7::bigint

-- name: names
-- The ids of resources, $1 first if there is one of that name. $2 rows at most.
select resource from usher.catalogue order by resource = $1 desc, resource limit $2::bigint

-- name: mixed_carts
-- How many carts, of those of which a booking was sold between five minutes and one minute ago, are sold in a part. $1 rows at
-- most. Most are sold as a whole: only where something was not is the cart looked at.
select count(*) as carts
  from (select distinct customer, cart
          from usher.booking
         where cart is not null and customer is not null and sold_at >= now() - interval '5 minutes'
           and sold_at < now() - interval '1 minute') as k
 cross join lateral (
     select from usher.booking
      where cart = k.cart and customer = k.customer and sold_at is null limit 1) as unsold
 cross join lateral (
     select state from usher.cart where customer = k.customer and cart = k.cart offset 0) as c
 where c.state = 'mixed'
 limit $1::bigint

-- name: nights
-- From which to which night a resource has rooms, and with which night to begin: $2, else the first that is not over at the
-- place, else today; `ends`: $3, or a month later. $1 resource, $4 rows at most.
select n.first, n.last, b.begins, coalesce($3::text::date, b.begins + 31) as ends
  from (select min(a.night) as first, max(a.night) as last, min(a.night) filter (where a.night >= t.today) as next, t.today
          from (select (now() at time zone coalesce(timezone, 'UTC'))::date as today
                  from usher.catalogue
                 where resource = $1) as t
          left join usher.availability as a on a.resource = $1 and a.night is not null
         group by t.today) as n
 cross join lateral (select coalesce($2::text::date, n.next, n.today) as begins) as b
 limit $4::bigint

-- name: open_holds
-- The holds of all resources, those that end first at first: of each partition the first so many, by the index of what is due,
-- and of these the first. $1 rows at most. The last column is for those who put several databases in order.
select resource, booking, customer, state, units, total, currency, created_at, sold_at, ends_at, cart, client, payment,
       note, meta, items, null::timestamptz as ended_at, null as cause, null as detail,
       b.booking_number
  from (select k.*
          from usher.home as h
         cross join lateral (
             select booking_number, ends_at as first_end
               from usher.bookings
              where partition = h.partition and state = 'held' and ends_at is not null
              order by ends_at, booking_number
              limit $1::bigint) as k
         order by k.first_end, k.booking_number
         limit $1::bigint) as k
 cross join lateral (
     select * from usher.bookings where booking_number = k.booking_number offset 0) as b
 order by ends_at, b.booking_number
 limit $1::bigint

-- name: partition_events
-- What became of partitions beside their work, the latest first. $1 partition (null: all), $2 rows at most.
select *
  from usher.partition_events
 where $1::text is null or partition = $1::text::integer
 order by happened_at desc, partition
 limit $2::bigint

-- name: partitions
-- Who owns which partition, and where it stands. $1 rows at most. How many requests wait, Kafka knows.
select p.*, null::bigint as lag, row_to_json(p) as json
  from (select partition, owner,
               case when halted is not null then 'halted' when connected then 'owned' else 'no worker' end as state,
               epoch, acquired_at, next_offset, next_seq, published_seq, last_decided_at, halted_at, halted, partition_count
          from usher.partitions
         where shard is not distinct from (select name from usher.shard)) as p
 order by partition
 limit $1::bigint

-- name: pools
-- The pools of a resource as a probe lists them, in the order in which they were defined: sections, products, then rooms,
-- night by night from $2 to $3, excluded (null: all). $1 resource, $4 rows at most.
select *
  from (select *, min(place) over (partition by pool) as first_place
          from usher.availability
         where resource = $1
           and ($2::text is null or night is null or night >= $2::text::date)
           and ($3::text is null or night is null or night < $3::text::date)) as a
 order by night nulls first, kind = 'product', first_place
 limit $4::bigint

-- name: refusals
-- What was refused or invalid in the last hour, by resource and reason, as usher.refusals counts it: among the latest 500,000
-- decisions of the database. Of these, partitions that decided less leave their share to those that decided more; `since` says
-- from when on a row was counted in each. $1 rows at most.
select r.resource, r.reason, sum(r.requests)::bigint as requests, max(r.last_at) as last_at,
       max(case when s.from_seq > s.first_seq then r.first_at else now() - interval '1 hour' end) as since
  from (select p.*, greatest(p.first_seq, p.end_seq - max(p.share) over ()) as from_seq
          from (select h.*, (500000 - (sum(h.end_seq - h.first_seq) over by_size)::bigint + h.end_seq - h.first_seq)
                                / (count(*) over () + 1 - row_number() over by_size) as share
                  from usher.partition_span(now() - interval '1 hour', 'infinity') as h
                window by_size as (order by h.end_seq - h.first_seq, h.partition, h.first_seq rows unbounded preceding)) as p) as s
 cross join lateral (
     select resource, reason, count(*) as requests, max(decided_at) as last_at, min(min(decided_at)) over () as first_at
       from usher.history
      where partition = s.partition and seq >= s.from_seq and seq < s.end_seq and booking_number is null
        and outcome in ('refused', 'invalid') and not replayed
      group by resource, reason) as r
 group by r.resource, r.reason
 order by requests desc, r.resource collate "C", r.reason collate "C"
 limit $1::bigint

-- name: resource
-- All of one resource, with its pools, hall and waiting list as JSON. $1 resource, $4 rows at most; rooms from $2 to $3,
-- excluded (null: all). A row of the hall has the names of its seats, and a character for each: free, held, sold, blocked.
-- Materialized: the name of a section would be read out of its JSON again for each of its rows.
with section as materialized (
    select s.section ->> 'section' as name, s.section -> 'rows' as lines, s.place
      from usher.hall as h
     cross join lateral json_array_elements(h.layout -> 'sections') with ordinality as s (section, place)
     where h.resource = $1 and json_typeof(s.section -> 'rows') = 'array')
select c.*,
       (select coalesce(json_agg(p.pool order by (p.pool).kind = 'room', (p.pool).kind = 'product', p.first_place,
                                               (p.pool).night), '[]')
          from (select a as pool, min(a.place) over (partition by a.pool) as first_place
                  from usher.availability as a
                 where a.resource = $1 and ($2::text is null or a.night is null or a.night >= $2::text::date)
                   and ($3::text is null or a.night is null or a.night < $3::text::date)) as p) as pools,
       (select json_agg(json_build_object('section', x.section, 'row', x.row, 'seats', x.seats, 'states', x.states)
                        order by x.section_place, x.place)
          from (select l.section, l.section_place, l.row, l.place,
                       json_agg(coalesce(l.names ->> n, concat(l.row, '-', l.first + n)) order by n) as seats,
                       string_agg(case t.state when 'held' then 'h' when 'confirmed' then 's' when 'blocked' then 'x'
                                               else '.' end, '' order by n) as states
                  from (select section.name as section, section.place as section_place, r.line ->> 'row' as row, r.place,
                               coalesce((r.line ->> 'first')::integer, 1) as first,
                               case when json_typeof(r.line -> 'names') = 'array' then r.line -> 'names' end as names,
                               (r.line ->> 'seats')::integer as seats,
                               sum((r.line ->> 'seats')::integer) over (partition by section.place order by r.place)
                                   - (r.line ->> 'seats')::integer as start
                          from section
                         cross join lateral json_array_elements(section.lines) with ordinality as r (line, place)) as l
                 cross join generate_series(0, l.seats - 1) as n
                  left join usher.taken_seats as t on t.resource = $1 and t.section = l.section and t.unit = l.start + n
                 group by l.section, l.section_place, l.row, l.place) as x) as hall,
       (select json_agg(w order by w.position) from usher.waiting as w where w.resource = $1) as waiting_list
  from usher.catalogue as c
 where resource = $1
 limit $4::bigint

-- name: resources
-- What is sold; what is over, so that nothing of it is sold, comes last, where it is not closed it has ended. A hotel is over
-- where its time zone is known, once its last night is over everywhere. The last column is for those who put several
-- databases in order. $1 resource, $2 kind, $3 state, $4 venue,
-- $5 text in resource, name or venue, $6 what to sort by, $7 rows at most.
select resource, kind, name, venue, state, starts_at, timezone, currency, total, held, sold, blocked, waiting, takings, rev,
       partition,
       o.over and state <> 'closed' as ended, o.over
  from usher.catalogue as c
 cross join lateral (
     select coalesce(ends_at <= now(),
                     case when kind = 'rooms' and timezone is not null then
                         (select (max(a.night) + 1 + time '12:00') at time zone 'UTC'
                            from usher.availability as a where a.resource = c.resource) end <= now(),
                     false) as over offset 0) as o
 where ($1::text is null or resource = $1) and ($2::text is null or kind = $2)
   and ($3::text is null or $3 = case when o.over and state <> 'closed' then 'ended' else state end)
   and ($4::text is null or lower(venue) = lower($4))
   and ($5::text is null or strpos(lower(concat_ws(' ', resource, name, venue)), lower($5)) > 0)
 order by o.over,
          case $6::text when 'sold' then sold when 'free' then total - held - sold - blocked when 'waiting' then waiting end
              desc nulls last,
          case $6::text when 'resource' then resource when 'name' then name end, starts_at nulls last, resource
 limit $7::bigint

-- name: curve
-- How a resource sold: at each moment, how many units were sold by then, and for how much. $1 resource, $2 moments at most.
with quarter as materialized (
    select began_at, sum(units) as units, sum(amount) as amount
      from usher.pace
     where resource = $1 and outcome in ('sold', 'cancelled', 'exchanged')
     group by began_at),
span as materialized (
    select min(began_at) as first, max(began_at) as last from quarter),
part as (
    select max(q.began_at) as began_at, sum(q.units) as units, sum(q.amount) as amount
      from quarter as q, span as s
     group by width_bucket(extract(epoch from q.began_at), extract(epoch from s.first), extract(epoch from s.last) + 1,
                           greatest($2::bigint - 1, 1)::integer))
select began_at + interval '15 minutes' as until, sum(units) over past as units,
       least(greatest(sum(amount) over past, -9007199254740991), 9007199254740991) as amount
  from part
window past as (order by began_at)
 order by until

-- name: seats
-- The seats of a resource that are taken. $1 resource, $2 rows at most.
select section, unit, state from usher.taken_seats where resource = $1 limit $2::bigint

-- name: sold_cart_names
-- Of several databases: which carts have a booking that was sold between five minutes and one minute ago.
select distinct json_build_array(customer, cart)::text as name
  from usher.booking
 where cart is not null and customer is not null and sold_at >= now() - interval '5 minutes'
   and sold_at < now() - interval '1 minute'

-- name: takings
-- What resources sold for since $1, in seconds since 1970 (null: since midnight at the place, or in UTC), and in the last hour:
-- confirmed bookings, without those that were cancelled. It is summed of what is kept for each quarter of an hour, whole ones:
-- the one in which the time is counts, so the last hour is up to 75 minutes. $2 rows at most.
with part as materialized (
    select resource, timezone, began_at, sum(amount) as amount,
           sum(bookings) filter (where outcome = 'sold') as sales, sum(bookings) filter (where outcome = 'cancelled') as cancellations
      from usher.pace
     where began_at >= least(date_bin('15 minutes', coalesce(to_timestamp($1::text::bigint), now() - interval '25 hours'), 'epoch'),
                             date_bin('15 minutes', now() - interval '1 hour', 'epoch'))
       and outcome in ('sold', 'cancelled', 'exchanged')
     group by resource, timezone, began_at),
zone as materialized (
    select timezone, usher.midnight(timezone) as midnight from (select distinct timezone from part) as t)
select s.resource, s.today, s.last_hour, s.sales, s.cancellations, c.takings, c.currency
  from (select resource,
               least(greatest(coalesce(sum(amount) filter (where is_today), 0), -9007199254740991), 9007199254740991)::bigint as today,
               least(greatest(coalesce(sum(amount) filter (where is_of_last_hour), 0), -9007199254740991),
                     9007199254740991)::bigint as last_hour,
               coalesce(sum(sales) filter (where is_today), 0)::bigint as sales,
               coalesce(sum(cancellations) filter (where is_today), 0)::bigint as cancellations
          from (select p.*,
                       p.began_at >= coalesce(date_bin('15 minutes', to_timestamp($1::text::bigint), 'epoch'),
                                              z.midnight) as is_today,
                       p.began_at >= date_bin('15 minutes', now() - interval '1 hour', 'epoch') as is_of_last_hour
                  from part as p
                  join zone as z on z.timezone is not distinct from p.timezone) as a
         group by resource) as s
  left join lateral (select takings, currency from usher.catalogue where resource = s.resource offset 0) as c on true
 order by s.today desc, s.last_hour desc, s.resource
 limit $2::bigint

-- name: unsold_cart_names
-- Of several databases: which of these carts have a booking here that was not sold. $1 JSON.
select n::text as name
  from json_array_elements($1::json) as n
 cross join lateral (
     select from usher.booking where cart = n ->> 1 and customer = n ->> 0 and sold_at is null limit 1) as b

-- name: waiting
-- The waiting lists in their order. $1 resource, $2 customer, $3 rows at most.
select resource, position, customer, booking, items, since, until, cart, client
  from usher.waiting
 where ($1::text is null or resource = $1) and ($2::text is null or customer = $2)
 order by resource, position
 limit $3::bigint
