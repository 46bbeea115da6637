-- A decision that changed several bookings is found from each of them, and no other.
select format('decision %s of partition %s and booking %s do not refer to each other',
              coalesce(c.seq, h.seq), coalesce(c.partition, h.partition),
              coalesce(c.booking, h.no))
  from (select d.partition, d.seq, n.no
          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h
  full join usher.cart_decision as c
    on c.booking = h.no and c.partition = h.partition and c.seq = h.seq
 where c.seq is null or h.seq is null
