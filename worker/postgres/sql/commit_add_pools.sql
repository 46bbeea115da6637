-- Inserts pools. $1 pools, without their rates; $2 for each of them the place of its rates in $3, from 0; null: none.
-- $3 lists of rates as a JSON array of texts, so that each comes but once: its elements are found by their place, while
-- those of text[] would be looked for one after the other, for each pool.
insert into usher.pool (no, resource_no, index, kind, name, night, title, capacity, price, overbook, rates, properties,
                        held, sold, blocked)
select p.no, p.resource_no, p.index, p.kind, p.name, p.night, p.title, p.capacity, p.price, p.overbook,
       (select $3::text::jsonb) ->> p.list, p.properties, p.held, p.sold, p.blocked
  from unnest($1::usher.pool_row[], $2::integer[])
    as p (no, resource_no, index, kind, name, night, title, capacity, price, overbook, rates, properties, held, sold,
          blocked, list)
