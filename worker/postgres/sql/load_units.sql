-- The numbered units that are taken of the resources that load_resources.sql selects, and what their bookings are:
-- 1 held, 2 blocked, 0 anything else, for what is allocated is taken, whatever its booking says. Counted pools have none.
with wanted as (
    select r.no
      from unnest($1::text[]) as k (id)
     cross join lateral (
         select no from usher.resource where partition = $3 and id = k.id offset 0) as r
    union
    select r.no
      from unnest($2::bigint[]) as k (no)
     cross join lateral (
         select no, partition from usher.resource where no = k.no offset 0) as r
     where r.partition = $3
    union
    select no
      from usher.resource
     where $4 and partition = $3 and (unserved or cancelling is not null))
select p.resource_no, p.index, a.unit, b.state
  from wanted as w
 cross join lateral (
     select no, resource_no, index
       from usher.pool
      where resource_no = w.no and kind in ('seats', 'room') offset 0) as p
 cross join lateral (
     select unit, booking from usher.allocation where pool = p.no offset 0) as a
 cross join lateral (
     select (case state when 'held' then 1 when 'blocked' then 2 else 0 end)::smallint as state
       from usher.booking
      where no = a.booking offset 0) as b
