-- The bookings of carts, whatever their state. $1 resources, $2 customers, $3 carts, $4 partition.
select b.*
  from unnest($1::text[], $2::text[], $3::text[]) as k (resource, customer, cart)
 cross join lateral (
     select no from usher.resource where partition = $4 and id = k.resource offset 0) as r
 cross join lateral (
     select * from usher.booking
      where resource_no = r.no and customer = k.customer and cart = k.cart offset 0) as b
 order by b.no
