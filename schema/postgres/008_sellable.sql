-- What is free can be sold: quotas leave no more. Of each resource at once, since its pools share them.

set local role usher_owner;

-- Locks the view before its tables, as 004 does: whoever reads it has locked it and then waits for them.
alter view usher.availability reset (security_barrier);

-- What of each pool is taken: for the view below, not for readers.
create view usher.pool_units as
select p.no, p.resource_no, p.kind, p.name, p.night, p.capacity, p.overbook, p.price, p.rates, t.held, t.sold, t.blocked
  from usher.pool as p
 cross join lateral (
     select p.held::bigint as held, p.sold::bigint as sold, p.blocked::bigint as blocked
      where p.kind in ('section', 'product')
     union all
     select count(*) filter (where b.state = 'held'),
            count(*) filter (where b.state = 'confirmed'),
            count(*) filter (where b.state = 'blocked')
       from usher.allocation as a
       join usher.booking as b on b.no = a.booking
      where a.pool = p.no
     having p.kind not in ('section', 'product')) as t
 where p.capacity > 0;

create or replace view usher.availability as
select r.id as resource,
       r.name,
       r.state,
       p.kind,
       p.name as pool,
       p.night,
       p.free,
       p.held,
       p.sold,
       p.blocked,
       p.total,
       p.overbook,
       p.price,
       p.rates,
       r.currency
  from usher.resource as r
 cross join lateral (
     with member as ( -- night by night; what has no night is on one of its own
         select q.place, (q.quota ->> 'limit')::bigint as most, p.no, coalesce(p.night, 'infinity') as night,
                p.held + p.sold as used
           from json_array_elements(r.terms::json -> 'quotas') with ordinality as q (quota, place)
          cross join lateral json_array_elements_text(q.quota -> 'pools') as n (name)
           join usher.pool_units as p on p.resource_no = r.no and p.name = n.name
     ), used as (
         select place, night, min(most) as most, sum(used) as used
           from member group by place, night
     ), rest as ( -- what has no night counts on every one, and so on the fullest
         select place, night,
                most - used - coalesce(case when isfinite(night) then max(used) filter (where not isfinite(night)) over quota
                                            else max(used) filter (where isfinite(night)) over quota end, 0) as rest
           from used window quota as (partition by place)
     ), offered as (
         select m.no, min(s.rest) as rest
           from member as m
           join rest as s on s.place = m.place and s.night = m.night
          group by m.no
     )
     select p.kind, p.name, p.night,
            greatest(least(p.capacity - p.held - p.sold - p.blocked, o.rest), 0)::bigint as free,
            p.held, p.sold, p.blocked, p.capacity::bigint as total, p.overbook, p.price, p.rates::json as rates
       from usher.pool_units as p
       left join offered as o on o.no = p.no
      where p.resource_no = r.no) as p;

comment on column usher.availability.free is 'units that can be sold: those that nobody has, as many as the quotas leave';
comment on view usher.pool_units is 'what of each pool is taken; for other views';
comment on column usher.pool_units.no is 'number of the pool';
comment on column usher.pool_units.resource_no is 'number of its resource';
comment on column usher.pool_units.kind is 'seats, section, room, product';
comment on column usher.pool_units.name is 'section, room type, or product';
comment on column usher.pool_units.night is 'of a room';
comment on column usher.pool_units.capacity is 'units, those of overbook included';
comment on column usher.pool_units.overbook is 'how many of the capacity are more than there are';
comment on column usher.pool_units.price is 'of a unit, in minor units of the currency';
comment on column usher.pool_units.rates is 'JSON [["adult",4500],…] in their order';
comment on column usher.pool_units.held is 'units that are held';
comment on column usher.pool_units.sold is 'units that are sold';
comment on column usher.pool_units.blocked is 'units that are off sale';
