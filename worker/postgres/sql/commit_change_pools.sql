-- Changes pools, whose counters must stand where the batch expects. $1 pools, $2 and $3 their rates as in
-- commit_add_pools.sql; rows are met as in commit_free.sql.
-- Capacity and counters together: one of them alone might break the check that fewer are taken than there are.
with changed as (
    update usher.pool as p
       set kind = c.kind, title = c.title, capacity = c.capacity, price = c.price,
           overbook = c.overbook, rates = (select $3::text::jsonb) ->> c.list, properties = c.properties,
           held = c.held, sold = c.sold, blocked = c.blocked
      from unnest($1::usher.pool_change_row[], $2::integer[])
        as c (no, resource_no, index, kind, title, capacity, price, overbook, rates, properties, was_held, was_sold,
              was_blocked, held, sold, blocked, list)
     cross join lateral (
         select ctid as place
           from usher.pool
          where no = c.no and resource_no = c.resource_no and index = c.index
            and held = c.was_held and sold = c.was_sold and blocked = c.was_blocked
         offset 0) as o
     where p.ctid = o.place
    returning 1)
select usher.expect('pools changed', count(*), cardinality($1)) from changed
