-- Inserts bookings. $1 bookings. Only with a bare `select *` does each row go in as it came, without being taken apart:
-- that makes a hold a twentieth cheaper.
insert into usher.booking (no, partition, resource_no, created_at, expires_at, total, state, op, request_id, client,
                           customer, cart, payment, note, lines, meta, ttl_s, wants, sold_at)
select * from unnest($1::usher.new_booking_row[])
