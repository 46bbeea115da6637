-- A cart belongs to a customer, and a booking is in the cart that its request named, or in none.
select format('resource %s: booking %s is in cart %s, but %s', to_json(r.id),
              to_json(b.request_id), to_json(b.cart),
              case when b.customer is null then 'has no customer'
                   else 'was not made in it' end)
  from usher.booking as b
  join usher.decision as d on d.partition = b.partition and d.seq = b.no & ((1::bigint << 48) - 1)
  left join usher.resource as r on r.no = b.resource_no
 where b.cart is not null
   and (b.customer is null
        or ('{' || d.body || '}')::json ->> 'cart' is distinct from b.cart)
