-- Bookings, the latest first. $1 customer, $2 resource, $3 booking, $4 state, $5 rows at most. A booking of a resource is
-- found by its number.
select resource, booking, customer, state, units, total, currency, created_at, sold_at, ends_at, cart, client, payment,
       note, meta, items
  from usher.bookings
 where ($1::text is null or customer = $1) and ($2::text is null or resource = $2)
   and ($3::text is null or booking_number = usher.booking_number($2, $3)) and ($4::text is null or state = $4)
 order by created_at desc, booking_number desc
 limit $5::bigint
