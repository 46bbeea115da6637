-- What each resource has sold for: the price of all its bookings that are sold, kept with every batch that changes one.
--
-- It was the sum over all bookings of a resource, which took as long as there were bookings. Workers are stopped first: what
-- an earlier one sold would not be counted. All bookings are read once.

set local role usher_owner;

alter table usher.resource add column takings bigint not null default 0 check (takings >= 0);
update usher.resource as r
   set takings = b.total
  from (select resource_no, sum(total) as total from usher.booking where state = 'confirmed' group by resource_no) as b
 where r.no = b.resource_no;
grant update (takings) on usher.resource to usher_worker;

alter type usher.resource_row add attribute takings bigint;
alter type usher.resource_mark_row add attribute takings bigint;

-- As it was, but for the takings.
create or replace view usher.catalogue as
select r.id as resource,
       (select case when count(distinct k.kind) <> 1 then 'mixed' when bool_or(k.seated) then 'seats' else min(k.kind) end
          from (select case p.kind when 'room' then 'rooms' when 'product' then 'stock' else 'standing' end as kind,
                       p.kind = 'seats' as seated
                  from usher.pool as p
                 where p.resource_no = r.no and p.capacity > 0) as k) as kind,
       r.name,
       r.venue,
       r.state,
       r.starts_at,
       r.ends_at,
       r.opens_at,
       r.closes_at,
       r.timezone,
       r.currency,
       (select sum(p.capacity) from usher.pool as p where p.resource_no = r.no)::bigint as total,
       (select coalesce(sum(p.held), 0) from usher.pool as p where p.resource_no = r.no)::bigint
           + (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state = 'held')::bigint as held,
       (select coalesce(sum(case when p.kind in ('section', 'product') then p.sold
                                 else (select count(*) from usher.allocation as a where a.pool = p.no) end), 0)
          from usher.pool as p where p.resource_no = r.no)::bigint
           - (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state in ('held', 'blocked'))::bigint as sold,
       (select coalesce(sum(p.blocked), 0) from usher.pool as p where p.resource_no = r.no)::bigint
           + (select coalesce(sum(l.quantity), 0)
              from usher.booking as b
              join usher.booking_line as l on l.booking = b.no
             cross join lateral (
                 select from usher.pool
                  where resource_no = r.no and index = l.pool_index and kind in ('seats', 'room') offset 0) as p
             where b.resource_no = r.no and b.state = 'blocked')::bigint as blocked,
       (select count(*) from usher.booking as b where b.resource_no = r.no and b.state = 'waiting') as waiting,
       r.takings,
       r.description,
       r.hold_ttl_s,
       coalesce(r.strategy, 'best') as strategy,
       r.terms::json as terms,
       r.chart,
       r.rev,
       r.partition
  from usher.resource as r;

comment on column usher.resource.takings is 'price of all that is sold, in minor units of the currency';
