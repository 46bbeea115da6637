-- Bookings, the latest first. $1 customer, $2 resource, $3 booking, $4 state, $5 section and $6 unit of a seat that it has,
-- $7 rows at most. A booking of a resource is found by its number, and so is the one that has a seat.
select resource, booking, customer, state, units, total, currency, created_at, sold_at, ends_at, cart, client, payment,
       note, meta, items
  from usher.bookings
 where ($1::text is null or customer = $1) and ($2::text is null or resource = $2)
   and ($3::text is null or booking_number = usher.booking_number($2, $3)) and ($4::text is null or state = $4)
   and ($5::text is null
        or booking_number = (select usher.booking_number($2, t.booking)
                               from usher.taken_seats as t
                              where t.resource = $2 and t.section = $5 and t.unit = $6::text::integer))
 order by created_at desc, booking_number desc
 limit $7::bigint
