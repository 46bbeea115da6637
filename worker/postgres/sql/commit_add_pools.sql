-- Inserts pools. $1 pools.
insert into usher.pool (no, resource_no, index, kind, name, night, title, capacity, price, overbook, rates, properties,
                        held, sold, blocked)
select * from unnest($1::usher.pool_row[])
