-- What sells places without seats, and nothing else, is of the kind `standing`, as it is in Redis: it was among `seats`.

set local role usher_owner;

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
       (select coalesce(sum(b.total), 0)
          from usher.decision as made
          join usher.booking as b on b.no = (made.partition::bigint << 48 | made.seq) and b.state = 'confirmed'
         where made.resource_no = r.no and made.first)::bigint as takings,
       r.description,
       r.hold_ttl_s,
       coalesce(r.strategy, 'best') as strategy,
       r.terms::json as terms,
       r.chart,
       r.rev,
       r.partition
  from usher.resource as r;

comment on column usher.catalogue.kind is 'seats, standing, rooms, stock, mixed';
