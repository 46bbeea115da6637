-- Pools are listed in the order in which they were defined, as answers to probe have them: somebody wrote that list for
-- people.
--
-- Workers do not read this view.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (16, 14);

-- Locks the view before its tables, as 004 does: whoever reads it has locked it and then waits for them.
alter view usher.availability reset (security_barrier);

-- As before, and the place of each pool.
create or replace view usher.pool_units as
select p.no, p.resource_no, p.kind, p.name, p.night, p.capacity, p.overbook, p.price, p.rates, t.held, t.sold, t.blocked,
       p.index
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
       r.currency,
       p.index as place
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
            p.held, p.sold, p.blocked, p.capacity::bigint as total, p.overbook, p.price, p.rates::json as rates, p.index
       from usher.pool_units as p
       left join offered as o on o.no = p.no
      where p.resource_no = r.no) as p;

-- ---- comments ----------------------------------------------------------------------------------
comment on column usher.pool_units.index is 'place of the pool among those of its resource';
comment on column usher.availability.place is 'of the pool among those of the resource, in the order in which they were defined; each night of a room has its own';
