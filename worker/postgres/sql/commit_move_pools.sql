-- Moves the counters of pools, each of which must stand where the batch expects. $1 moves, one of each pool; rows are
-- met as in commit_free.sql.
with moved as (
    update usher.pool as p
       set held = m.held, sold = m.sold, blocked = m.blocked
      from unnest($1::usher.pool_move_row[]) as m
     cross join lateral (
         select ctid as place
           from usher.pool
          where no = m.no and held = m.was_held and sold = m.was_sold and blocked = m.was_blocked
         offset 0) as o
     where p.ctid = o.place
    returning 1)
select usher.expect('pools moved', count(*), cardinality($1)) from moved
