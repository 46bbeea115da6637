-- The bookings of carts, whatever their state. $1 resources, $2 customers, $3 carts, $4 partition, $5 bytes: it ends
-- with the cart that passes them, for a cart comes as a whole. `ord` and `found` are as in load_resources.sql.
select *
  from (select b.*, count(*) over ()::integer as found,
               sum(b.size) over (order by b.ord) - sum(b.size) over (partition by b.ord) as before
          from (select k.ord::integer, b.*, octet_length(b.lines) + octet_length(coalesce(b.meta, '')) + 200 as size
                  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (resource, customer, cart, ord)
                 cross join lateral (
                     select no from usher.resource where partition = $4 and id = k.resource offset 0) as r
                 cross join lateral (
                     select * from usher.booking
                      where resource_no = r.no and customer = k.customer and cart = k.cart offset 0) as b) as b) as b
 where before < $5::bigint
 order by ord, no
