-- The waiting lists in their order. $1 resource, $2 customer, $3 rows at most.
select resource, position, customer, booking, items, since, until, cart, client
  from usher.waiting
 where ($1::text is null or resource = $1) and ($2::text is null or customer = $2)
 order by resource, position
 limit $3::bigint
