-- Sections by capacity and products are counted: nobody asks which of their units one gets. Their rows of allocation
-- become three counters; seats and rooms keep theirs. How long it takes depends on the number of those rows and of the
-- bookings; nothing is decided meanwhile.

set local role usher_owner;
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;
set local work_mem = '256MB';

-- Locks the views before their tables, and changes nothing. Whoever reads a view has locked it and then waits for its
-- tables; if it were replaced only after those were locked, each would wait for the other.
alter view usher.purchase reset (security_barrier);
alter view usher.availability reset (security_barrier);

-- A worker that was not stopped is fenced: a batch of its own between two of these statements, or after them, would
-- allocate units that nobody counts.
update usher.partition_state set epoch = epoch + 1, owner = null;

-- Each batch writes the pools that it sold from: room for the next version of a row beside it, as in 003. Before all
-- of them are written below, so that the pages are filled so.
alter table usher.pool set (fillfactor = 50);

alter table usher.pool
    add column held integer not null default 0, -- of sections by capacity and products, which have no allocations
    add column sold integer not null default 0,
    add column blocked integer not null default 0;

update usher.pool as p
   set held = t.held, sold = t.taken - t.held - t.blocked, blocked = t.blocked
  from (select a.pool,
               count(*) as taken, -- whatever their bookings say
               count(*) filter (where b.state = 'held') as held,
               count(*) filter (where b.state = 'blocked') as blocked
          from usher.allocation as a
          left join usher.booking as b on b.no = a.booking
         where a.pool in (select no from usher.pool where kind in ('section', 'product'))
         group by a.pool) as t
 where p.no = t.pool;

delete from usher.allocation
 where pool in (select no from usher.pool where kind in ('section', 'product'));

-- The constraint below would not name the pool.
do $$
declare
    wrong text;
begin
    select format('%s units of pool "%s" of resource "%s" are taken, but its capacity is %s',
                  p.held::bigint + p.sold + p.blocked, p.name, r.id, p.capacity)
      into wrong
      from usher.pool as p
      left join usher.resource as r on r.no = p.resource_no
     where p.held::bigint + p.sold + p.blocked > p.capacity
     limit 1;
    if found then
        raise exception '%', wrong
            using hint = 'run `usher-worker reconcile` of the version before';
    end if;
end
$$;

-- The last line of defence: no more are taken than there are. Those that may be overbooked are part of the capacity.
alter table usher.pool
    add constraint pool_taken_check
        check (held >= 0 and sold >= 0 and blocked >= 0
               and held::bigint + sold + blocked <= case when kind in ('section', 'product') then capacity else 0 end);

alter type usher.pool_row
    add attribute held integer, add attribute sold integer, add attribute blocked integer;

create type usher.pool_change_row as (
    no bigint, resource_no bigint, index integer, kind text, title text, capacity integer, price bigint,
    overbook integer, rates text, properties text, was_held integer, was_sold integer, was_blocked integer,
    held integer, sold integer, blocked integer
);

create type usher.pool_move_row as (
    no bigint, was_held integer, was_sold integer, was_blocked integer, held integer, sold integer, blocked integer
);

-- The units of a booking's line: [item, pool index, price, units, …], where units are their numbers, or their quantity.
-- Lines from before pools were counted have numbers there, too, which say nothing any more.
create function usher.line_quantity(p_line json) returns bigint
language sql immutable
as $$
    select case when json_typeof(p_line -> 3) = 'array' then json_array_length(p_line -> 3)
                else (p_line ->> 3)::bigint end
$$;

-- The numbers of a line's units; null for each that has none.
create function usher.line_units(p_line json) returns setof integer
language sql immutable rows 4
as $$
    select u.unit::integer
      from json_array_elements_text(case when json_typeof(p_line -> 3) = 'array' then p_line -> 3 else '[]' end)
               as u (unit)
    union all
    select null
      from generate_series(1, case when json_typeof(p_line -> 3) = 'number' then (p_line ->> 3)::bigint end)
$$;

create or replace view usher.purchase as
select b.customer,
       r.id as resource,
       r.name,
       r.venue,
       r.starts_at,
       b.request_id as booking,
       p.kind,
       p.name as pool,
       p.night,
       case when p.kind = 'seats'
            then usher.seat_name(c.content, p.name, u.unit) end as seat,
       case when p.kind in ('seats', 'room') then u.unit end as unit,
       (l.line ->> 2)::bigint as price,
       l.line ->> 5 as rate,
       r.currency,
       b.payment,
       b.cart,
       b.created_at,
       b.meta::json as meta
  from usher.booking as b
  join usher.resource as r on r.no = b.resource_no
  left join usher.chart as c on c.partition = r.partition and c.hash = r.chart
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral usher.line_units(l.line) as u (unit)
 cross join lateral (
     select * from usher.pool
      where resource_no = b.resource_no and index = (l.line ->> 1)::integer offset 0) as p
 where b.state = 'confirmed';

create or replace view usher.availability as
select r.id as resource,
       r.name,
       r.state,
       p.kind,
       p.name as pool,
       p.night,
       p.capacity - t.held - t.sold - t.blocked as free,
       t.held,
       t.sold,
       t.blocked,
       p.capacity::bigint as total,
       p.overbook,
       p.price,
       p.rates::json as rates,
       r.currency
  from usher.pool as p
  join usher.resource as r on r.no = p.resource_no
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

revoke execute on function usher.line_quantity, usher.line_units from public;
grant execute on function usher.line_quantity, usher.line_units to usher_worker, usher_reader;
grant update (held, sold, blocked) on usher.pool to usher_worker;
