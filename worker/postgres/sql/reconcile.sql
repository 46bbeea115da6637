-- name: begin
-- One snapshot for all checks. They scan whole tables, so the planner may choose what is best for that.
begin isolation level repeatable read read only;
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;
set local enable_bitmapscan = on;
set local plan_cache_mode = auto;
set local work_mem = '64MB'

-- name: session
-- If the client is gone, its statement ends with it: not before PostgreSQL 14, nor on every platform.
do $$
begin
    set client_connection_check_interval = '1s';
exception when undefined_object or invalid_parameter_value then
    null;
end
$$

-- name: allocation_has_booking
-- Every allocation belongs to a booking of the pool's resource that is in a state with units.
select (a.pool >> 48)::integer,
       format('resource %s: unit %s of pool %s is allocated to booking %s, which is %s',
              coalesce(to_json(r.id)::text, 'unknown'), a.unit,
              coalesce(to_json(p.name)::text, 'unknown'),
              coalesce(to_json(b.request_id)::text, a.booking::text),
              case when b.no is null then 'unknown'
                   when b.resource_no is distinct from p.resource_no
                   then 'of another resource' else b.state end)
  from usher.allocation as a
  left join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
  left join usher.booking as b on b.no = a.booking
 where b.no is null or b.state not in ('held', 'confirmed', 'blocked')
    or b.resource_no is distinct from p.resource_no

-- name: bookings_follow_decisions
-- A booking is what the last decision about it says.
with happened as (
    -- An operation on a booking of a cart may also extend the other bookings: its outcome is that of the booking
    -- which it names.
    select booking_no as no, seq, outcome
      from usher.decision
     where booking_no is not null and booking_nos is null
    union all
    select n.no, d.seq, d.outcome
      from usher.decision as d, unnest(d.booking_nos) as n (no)
     where d.outcome in ('confirmed', 'released', 'extended', 'cancelled')
    union all
    -- The hold that went into the booking that an exchange names.
    select n.no, d.seq, 'released'
      from usher.decision as d, unnest(d.booking_nos) as n (no)
     where d.outcome = 'exchanged' and n.no <> d.booking_no
    union all
    -- The booking that a transfer took some units from; the decision names the one that it made of them.
    select n.no, d.seq, d.outcome
      from usher.decision as d, unnest(d.booking_nos) as n (no)
     where d.outcome = 'transferred' and n.no <> d.booking_no
    union all
    select booking_no, seq, outcome
      from usher.decision
     where booking_no is not null and booking_nos is not null
       and outcome not in ('confirmed', 'released', 'extended', 'cancelled'))
select b.partition,
       format('booking %s is %s, but decision %s of partition %s says %s',
              to_json(b.request_id), b.state, h.seq, b.partition, h.outcome)
  from usher.booking as b
  join (select distinct on (no) no, seq, outcome from happened as h
         order by no, seq desc) as h on h.no = b.no
 where not case
       -- What is taken out of a block may leave nothing of it.
       when b.op = 'block' and h.outcome in ('blocked', 'exchanged') then b.state in ('blocked', 'released')
       when h.outcome in ('exchanged', 'transferred') then b.state in ('held', 'confirmed')
       when h.outcome = 'extended' then b.state = 'held'
       else b.state = h.outcome end

-- name: bookings_have_decision
-- Every booking was made by the first answer to its request. A booking's number is made of the seq of that decision.
select b.partition,
       format('booking %s was not made by decision %s of partition %s',
              to_json(b.request_id), b.no & ((1::bigint << 48) - 1), b.partition)
  from usher.booking as b
  left join usher.decision as d on d.partition = b.partition and d.seq = b.no & ((1::bigint << 48) - 1)
 where d.first is not true or d.request_id is distinct from b.request_id
    or d.resource_no is distinct from b.resource_no or d.op is distinct from b.op

-- name: cancelling
-- All bookings of a resource are being cancelled only where it is closed.
select partition,
       format('resource %s: all of its bookings are being cancelled, but it is %s',
              to_json(id), state)
  from usher.resource
 where cancelling is not null and state <> 'closed'

-- name: cart_decisions
-- A decision that changed several bookings is found from each of them, and no other.
select coalesce(c.partition, h.partition),
       format('decision %s of partition %s and booking %s do not refer to each other',
              coalesce(c.seq, h.seq), coalesce(c.partition, h.partition),
              coalesce(c.booking, h.no))
  from (select d.partition, d.seq, n.no
          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h
  full join usher.cart_decision as c
    on c.booking = h.no and c.partition = h.partition and c.seq = h.seq
 where c.seq is null or h.seq is null

-- name: carts
-- A cart belongs to a customer, and a booking is in the cart that its request named, or in none.
select b.partition,
       format('resource %s: booking %s is in cart %s, but %s', to_json(r.id),
              to_json(b.request_id), to_json(b.cart),
              case when b.customer is null then 'has no customer'
                   else 'was not made in it' end)
  from usher.booking as b
  join usher.decision as d on d.partition = b.partition and d.seq = b.no & ((1::bigint << 48) - 1)
  left join usher.resource as r on r.no = b.resource_no
 where b.cart is not null
   and (b.customer is null
        or ('{' || d.body || '}')::json ->> 'cart' is distinct from b.cart)

-- name: dead_letters
-- Every invalid decision of a record has a dead letter, and no other has one.
select coalesce(d.partition, l.partition),
       format('partition %s: decision %s is %s',
              coalesce(d.partition, l.partition), coalesce(d.seq, l.seq),
              case when l.seq is null then 'invalid, but not dead-lettered'
                   else 'dead-lettered, but not invalid' end)
  from (select partition, seq from usher.decision where outcome = 'invalid' and source_offset is not null) as d
  full join usher.dead_letter as l on l.partition = d.partition and l.seq = d.seq
 where d.seq is null or l.seq is null

-- name: decisions_name_bookings
-- A decision names bookings of its own resource only.
select h.partition,
       format('decision %s of partition %s names booking %s, which %s', h.seq, h.partition,
              h.no, case when b.no is null then 'is unknown'
                         else 'is of another resource' end)
  from (select partition, seq, resource_no, booking_no as no from usher.decision
         where booking_no is not null
        union all
        select d.partition, d.seq, d.resource_no, n.no
          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h
  left join usher.booking as b on b.no = h.no
 where b.no is null or b.resource_no is distinct from h.resource_no

-- name: lines_are_allocations
-- A booking in a state with units has exactly the seats and rooms of its lines. Pools that are counted have no numbers.
with lines as (
    select b.no as booking, p.no as pool, u.unit
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
     cross join lateral usher.line_units(l.line) as u (unit)
      left join usher.pool as p
        on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
     where b.state in ('held', 'confirmed', 'blocked') and p.kind is distinct from 'section'
       and p.kind is distinct from 'product')
select b.partition,
       format('resource %s: booking %s has unit %s of pool %s in its %s',
              to_json(r.id), to_json(b.request_id), coalesce(a.unit::text, l.unit::text, 'without a number'),
              coalesce(to_json(p.name)::text, 'unknown'),
              case when a.booking is null then 'lines, but not allocated'
                   else 'allocations, but not in its lines' end)
  from lines as l
  full join usher.allocation as a
    on a.pool = l.pool and a.unit = l.unit and a.booking = l.booking
  join usher.booking as b on b.no = coalesce(a.booking, l.booking)
  left join usher.resource as r on r.no = b.resource_no
  left join usher.pool as p on p.no = coalesce(a.pool, l.pool)
 where (a.booking is null or l.booking is null)
   and b.state in ('held', 'confirmed', 'blocked')

-- name: losses
-- What the database lost and an operator accepted: to be known, and no difference.
select partition,
       format('partition %s: %s, which %s accepted on %s: %s', partition,
              case placeholders
              when 0 then format('the decisions from seq %s to %s were lost', next_seq - records, next_seq - 1)
              else format('%s of the decisions before seq %s were lost before they were published', placeholders, next_seq)
              end, skipped_by, to_char(skipped_at at time zone 'UTC', 'YYYY-MM-DD'), reason)
  from usher.partition_skip
 where from_offset = to_offset

-- name: open
-- The row of a partition says how many holds are open and how many parties wait.
select s.partition,
       format('partition %s: %s holds are open and %s parties wait, but its row says %s and %s', s.partition, b.holds,
              b.parties, s.holds, s.parties)
  from usher.partition_state as s
 cross join lateral (
     select count(*) filter (where state = 'held') as holds, count(*) filter (where state = 'waiting') as parties
       from usher.booking
      where partition = s.partition and state in ('held', 'blocked', 'waiting') and expires_at is not null) as b
 where s.holds <> b.holds or s.parties <> b.parties

-- name: owners
-- A booking belongs to whom the decision says that made it, or transferred it last; and what it was paid with, the one that sold it.
with said as (
    select b.partition, b.request_id, b.customer, coalesce(t.seq, b.no & ((1::bigint << 48) - 1)) as seq
      from usher.booking as b
      left join (select distinct on (booking_no) booking_no, seq
                   from usher.decision
                  where outcome = 'transferred' and booking_no is not null
                  order by booking_no, seq desc) as t on t.booking_no = b.no)
select s.partition,
       format('booking %s belongs to %s, but decision %s of partition %s says another customer',
              to_json(s.request_id), coalesce(to_json(s.customer)::text, 'nobody'), s.seq, s.partition)
  from said as s
  join usher.decision as d on d.partition = s.partition and d.seq = s.seq
 where case when s.customer is null then position('"customer":' in d.body) > 0
            else position('"customer":' || to_json(s.customer) in d.body) = 0 end
union all
select b.partition,
       format('booking %s was paid with %s, but decision %s of partition %s says otherwise',
              to_json(b.request_id), coalesce(to_json(b.payment)::text, 'nothing'), d.seq, d.partition)
  from usher.decision as d
  left join usher.cart_decision as c on c.partition = d.partition and c.seq = d.seq and d.booking_nos is not null
  join usher.booking as b on b.no = coalesce(c.booking, d.booking_no)
 where d.outcome = 'confirmed'
   and case when b.payment is null then position('"payment":' in d.body) > 0
            else position('"payment":' || to_json(b.payment) in d.body) = 0 end

-- name: pool_counters
-- The counters of a pool are the units of its bookings' lines, if it is counted; else they are 0.
with lines as (
    select p.no as pool, b.state, sum(usher.line_quantity(l.line)) as units
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
      join usher.pool as p on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
     where b.state in ('held', 'confirmed', 'blocked') and p.kind in ('section', 'product')
     group by p.no, b.state),
counted as (
    select pool, sum(units) filter (where state = 'held') as held,
           sum(units) filter (where state = 'confirmed') as sold,
           sum(units) filter (where state = 'blocked') as blocked
      from lines group by pool)
select (p.no >> 48)::integer,
       format('resource %s: pool %s counts %s held, %s sold and %s blocked, but its bookings have %s, %s and %s',
              to_json(r.id), to_json(p.name), p.held, p.sold, p.blocked,
              coalesce(c.held, 0), coalesce(c.sold, 0), coalesce(c.blocked, 0))
  from usher.pool as p
  left join counted as c on c.pool = p.no
  left join usher.resource as r on r.no = p.resource_no
 where (p.held, p.sold, p.blocked)
       is distinct from (coalesce(c.held, 0), coalesce(c.sold, 0), coalesce(c.blocked, 0))

-- name: units_by_rate
-- The units at each rate of the pools that count them are those of the lines of their bookings.
with pools as (
    select r.no, r.id, r.partition, p.key::integer as index, p.value as rates
      from usher.resource as r
     cross join lateral json_each(r.by_rate::json) as p),
lines as (
    select b.resource_no, (l.line ->> 1)::integer as index, coalesce(l.line ->> 5, 'standard') as rate,
           sum(usher.line_quantity(l.line)) as units
      from usher.booking as b
     cross join lateral json_array_elements(b.lines::json) as l (line)
     where b.state in ('held', 'confirmed') and b.resource_no in (select no from usher.resource where by_rate is not null)
     group by 1, 2, 3),
has as (
    select p.no, p.id, p.partition, p.index, l.rate, l.units
      from pools as p
      join lines as l on l.resource_no = p.no and l.index = p.index),
kept as (
    select p.no, p.id, p.partition, p.index, k.key as rate, k.value::bigint as units
      from pools as p
     cross join lateral json_each_text(p.rates) as k)
select coalesce(k.partition, h.partition),
       format('resource %s: of pool %s at rate %s, %s units are counted, but its bookings have %s',
              to_json(coalesce(k.id, h.id)), coalesce(k.index, h.index), to_json(coalesce(k.rate, h.rate)),
              coalesce(k.units, 0), coalesce(h.units, 0))
  from kept as k
  full join has as h on h.no = k.no and h.index = k.index and h.rate = k.rate
 where coalesce(k.units, 0) <> coalesce(h.units, 0)

-- name: pools_within_capacity
-- No pool has more units taken than its capacity, but as many as its row says that the house took beyond it.
select (p.no >> 48)::integer,
       format('resource %s: of pool %s as many as %s are taken, whose capacity is %s with %s beyond it',
              to_json(r.id), to_json(p.name), t.taken, p.capacity, p.over)
  from usher.pool as p
  left join (select pool, count(*) as taken from usher.allocation group by pool) as a on a.pool = p.no
 cross join lateral (select p.held::bigint + p.sold + p.blocked + coalesce(a.taken, 0) as taken) as t
  left join usher.resource as r on r.no = p.resource_no
 where greatest(t.taken - p.capacity, 0) <> p.over

-- name: pruned
-- What the next prune, or the one that runs, deletes from Redis.
select partition,
       format('resource %s was pruned on %s, and Redis may still show it: the next prune deletes it there, or `rebuild-cache`',
              to_json(resource), to_char(pruned_at at time zone 'UTC', 'YYYY-MM-DD'))
  from usher.pruned
 where hidden_at is null

-- name: seats_within_capacity
-- Every seat lies inside its section. Other units may have any number.
select (p.no >> 48)::integer,
       format('resource %s: unit %s is allocated in pool %s, whose capacity is %s',
              to_json(r.id), a.unit, to_json(p.name), p.capacity)
  from usher.allocation as a
  join usher.pool as p on p.no = a.pool
  left join usher.resource as r on r.no = p.resource_no
 where p.kind = 'seats' and a.unit >= p.capacity

-- name: seqs_dense
-- Seqs are dense from 1 on but for what was pruned or lost, and published before, and time does not go back but where it was set back, and no further.
select partition,
       case when seq <> before + 1
            then format('partition %s: no decision between seq %s and %s',
                        partition, before, seq)
            else format('partition %s: decision %s was decided before the one before it',
                        partition, seq) end
  from (select partition, seq, decided_at,
               lag(seq, 1, 0::bigint) over by_seq as before,
               lag(decided_at) over by_seq as decided_before
          from usher.decision
        window by_seq as (partition by partition order by seq)) as d
 where seq <> before + 1
       and seq - 1 > (select s.published_seq from usher.partition_state as s where s.partition = d.partition)
    or seq <> before + 1
       and not exists (select from usher.pruned as p where p.partition = d.partition and p.last_seq >= d.before + 1)
       and not exists (select from usher.partition_skip as k
                        where k.partition = d.partition and k.from_offset = k.to_offset and k.placeholders = 0
                          and k.next_seq > d.before + 1 and k.next_seq <= d.seq)
    or decided_at < decided_before
       and not exists (select from usher.clock_reset as r
                        where r.partition = d.partition and r.seq > d.before and r.seq <= d.seq
                          and r.became <= d.decided_at)

-- name: seqs_end
-- The last decision is the one before next_seq, and where some were pruned or lost, no more are missing. (Elsewhere each gap is
-- told by itself.) A placeholder may stand for one that was pruned.
select coalesce(s.partition, d.partition),
       format(case when s.next_seq is distinct from coalesce(d.last, 0) + 1
                   then 'partition %1$s: the last decision is %2$s, but the next is to be %3$s'
                   else 'partition %1$s: %4$s of %2$s decisions are there, were pruned, or are known to be lost' end,
              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq, d.decisions)
  from usher.partition_state as s
  full join (select partition, max(last) as last, sum(decisions) as decisions, sum(placeholders) as placeholders,
                    bool_or(is_thinned) as is_thinned
               from (select partition, max(seq) as last, count(*) as decisions, 0 as placeholders, false as is_thinned
                       from usher.decision group by partition
                     union all
                     select partition, max(last_seq), sum(decisions), 0, true from usher.pruned group by partition
                     union all
                     select partition, max(next_seq) - 1, sum(records), sum(placeholders), true
                       from usher.partition_skip where from_offset = to_offset group by partition) as x
              group by partition) as d
    on d.partition = s.partition
 where s.next_seq is distinct from coalesce(d.last, 0) + 1 or d.is_thinned and d.decisions not between d.last and d.last + d.placeholders

-- name: sold
-- The amounts sold by decisions and by bookings are equal, and so are the takings; what is held costs what the resource says.
select coalesce(r.partition, d.partition),
       case when coalesce(d.amount, 0) <> coalesce(r.total, 0) or r.takings <> r.total
            then format('resource %s: by its decisions %s was sold, by its bookings %s, by its takings %s',
                        coalesce(to_json(r.id)::text, d.resource), coalesce(d.amount, 0), coalesce(r.total, 0),
                        coalesce(r.takings, 0))
            else format('resource %s: its holds cost %s, and not %s, which is promised', to_json(r.id), r.held, r.promised) end
  from (select partition, resource, sum(amount) as amount from usher.audit group by partition, resource) as d
  full join (select r.id, r.partition, r.takings, r.promised,
                    coalesce(sum(b.total) filter (where b.state = 'confirmed'), 0) as total,
                    coalesce(sum(b.total) filter (where b.state = 'held'), 0) as held
               from usher.resource as r
               left join usher.booking as b on b.resource_no = r.no and b.state in ('confirmed', 'held')
              group by r.no) as r on r.id = d.resource
 where coalesce(d.amount, 0) <> coalesce(r.total, 0) or r.takings <> r.total or r.promised <> r.held

-- name: quarters
-- What decisions sold in a quarter of an hour is kept.
select coalesce(d.partition, q.partition),
       format('resource %s: in the quarter of an hour from %s on, %s was sold by its decisions, but %s is kept',
              to_json(coalesce(d.resource, q.resource)), coalesce(d.began_at, q.began_at), coalesce(d.amount, 0),
              coalesce(q.amount, 0))
  from (select partition, resource, date_bin('15 minutes', decided_at, 'epoch') as began_at, sum(amount) as amount
          from usher.audit group by 1, 2, 3) as d
  full join (select r.partition, r.id as resource, q.began_at, sum(q.amount) as amount
               from usher.quarter as q
               join usher.resource as r on r.no = q.resource_no
              group by 1, 2, 3) as q on q.resource = d.resource and q.began_at = d.began_at
 where coalesce(d.amount, 0) <> coalesce(q.amount, 0)

-- name: totals
-- The total of a booking is the price of its units; a block costs nothing.
select b.partition,
       format('resource %s: the total of booking %s is %s, but its units cost %s',
              to_json(r.id), to_json(b.request_id), b.total, l.price)
  from usher.booking as b
 cross join lateral (
     select coalesce(sum((line ->> 2)::bigint * usher.line_quantity(line)), 0) as price
       from json_array_elements(b.lines::json) as e (line)) as l
  left join usher.resource as r on r.no = b.resource_no
 where b.state in ('held', 'confirmed', 'blocked')
   and b.total <> case when b.state = 'blocked' then 0 else l.price end

-- name: waiting
-- A waiting party says for what and until when, and has nothing yet.
select b.partition,
       format('resource %s: booking %s waits, but %s', to_json(r.id), to_json(b.request_id),
              case when b.wants is null then 'for nothing'
                   when b.expires_at is null then 'without an end'
                   when b.customer is null then 'without a customer' else 'costs something' end)
  from usher.booking as b
  left join usher.resource as r on r.no = b.resource_no
 where b.state = 'waiting'
   and (b.wants is null or b.expires_at is null or b.customer is null or b.total <> 0)
