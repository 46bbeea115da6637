-- Changes bookings; each must be in the state that the batch expects. $1 changes, $2 the batch's time: that of a sale.
-- Rows are met as in commit_free.sql.
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
    on conflict do nothing)
select usher.expect('bookings changed', count(*), cardinality($1)) from changed
