-- Changes pools. $1 pools; rows are met as in commit_free.sql.
with changed as (
    update usher.pool as p
       set kind = c.kind, title = c.title, capacity = c.capacity, price = c.price,
           overbook = c.overbook, rates = c.rates, properties = c.properties
      from unnest($1::usher.pool_row[]) as c
     cross join lateral (
         select ctid as place
           from usher.pool
          where no = c.no and resource_no = c.resource_no and index = c.index
         offset 0) as o
     where p.ctid = o.place
    returning 1)
select usher.expect('pools changed', count(*), cardinality($1)) from changed
