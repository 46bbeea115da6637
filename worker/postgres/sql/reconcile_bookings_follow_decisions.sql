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
    select booking_no, seq, outcome
      from usher.decision
     where booking_no is not null and booking_nos is not null
       and outcome not in ('confirmed', 'released', 'extended', 'cancelled'))
select format('booking %s is %s, but decision %s of partition %s says %s',
              to_json(b.request_id), b.state, h.seq, b.partition, h.outcome)
  from usher.booking as b
  join (select distinct on (no) no, seq, outcome from happened as h
         order by no, seq desc) as h on h.no = b.no
 where not case
       when h.outcome in ('exchanged', 'transferred') then b.state in ('held', 'confirmed')
       when h.outcome = 'extended' then b.state = 'held'
       -- What is taken out of a block may leave nothing of it.
       when h.outcome = 'blocked' then b.state in ('blocked', 'released')
       else b.state = h.outcome end
