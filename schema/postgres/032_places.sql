-- What people call a seat whose name is not for people.
--
-- Programs that draw plans of halls name seats by UUIDs, and door lists showed these. A chart now has the numbers of such seats,
-- and lists of seats have a column for people: Block D, row 1, seat 7. Charts of earlier programs have no numbers.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (32, 31);

alter table usher.seat_row add column places text[];

comment on column usher.seat_row.places is 'of its seats, for people, where their names are not; else null';

create or replace function usher.rows_of_chart(p_partition integer, p_hash text, p_content text) returns setof usher.seat_row
language sql stable
as $$
    with section as materialized (
        select s.section ->> 'section' as name, s.section -> 'rows' as lines, s.place
          from json_array_elements(p_content::json -> 'sections') with ordinality as s (section, place)
         where json_typeof(s.section -> 'rows') = 'array')
    select p_partition, p_hash, x.section,
           (sum(x.seats) over (partition by x.section_place order by x.place) - x.seats)::integer,
           x.seats, x.line ->> 'row', coalesce((x.line ->> 'first')::integer, 1),
           case when json_typeof(x.line -> 'names') = 'array'
                then array(select json_array_elements_text(x.line -> 'names')) end,
           case when json_typeof(x.line -> 'numbers') = 'array'
                then array(select concat_ws(', ', x.line ->> 'zone', 'row ' || nullif(x.line ->> 'row', ''), 'seat ' || n)
                             from json_array_elements_text(x.line -> 'numbers') as n) end
      from (select section.name as section, section.place as section_place, r.line, r.place,
                   (r.line ->> 'seats')::integer as seats
              from section
             cross join lateral json_array_elements(section.lines) with ordinality as r (line, place)) as x
     where x.seats > 0
$$;

create or replace view usher.bookings as
select r.id as resource,
       b.request_id as booking,
       b.customer,
       b.state,
       (select sum(l.quantity) from usher.booking_line as l where l.booking = b.no)::bigint as units,
       b.total,
       r.currency,
       b.created_at,
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end) as sold_at,
       b.expires_at as ends_at,
       b.cart,
       b.client,
       b.payment,
       b.note,
       b.meta::json as meta,
       (select json_agg(json_strip_nulls(json_build_object(
                   case p.kind when 'room' then 'room' when 'product' then 'product' else 'section' end, p.name,
                   'night', p.night,
                   'seats', named.seats, 'places', named.places,
                   'tokens', case when p.kind = 'room' then l.units end,
                   'quantity', l.quantity, 'price', l.price, 'rate', l.rate)) order by l.place)
          from usher.booking_line as l
         cross join lateral (
             select * from usher.pool where resource_no = b.resource_no and index = l.pool_index offset 0) as p
          left join lateral (
             select json_agg(s.seat order by u.place) as seats,
                    case when bool_or(s.has_place) then json_agg(s.place order by u.place) end as places
               from (select n::integer, place
                       from json_array_elements_text(l.units) with ordinality as u (n, place)) as u
               left join lateral (
                   select coalesce(x.names[u.n - x.start + 1], x.label || '-' || (x.first + u.n - x.start)) as seat,
                          coalesce(x.places[u.n - x.start + 1], x.names[u.n - x.start + 1],
                                   x.label || '-' || (x.first + u.n - x.start)) as place,
                          x.places is not null as has_place
                     from usher.seat_row as x
                    where x.partition = r.partition and x.chart = r.chart and x.section = p.name and x.start <= u.n
                    order by x.start desc limit 1) as s on true) as named on p.kind = 'seats'
         where l.booking = b.no) as items,
       b.op,
       b.partition,
       b.no as booking_number
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
 where b.state <> 'held' or b.state = 'held' and b.expires_at is not null;

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
            then (select coalesce(s.names[u.n - s.start + 1], s.label || '-' || (s.first + u.n - s.start))
                    from usher.seat_row as s
                   where s.partition = r.partition and s.chart = r.chart and s.section = p.name and s.start <= u.n
                   order by s.start desc limit 1) end as seat,
       case when p.kind in ('seats', 'room') then u.n end as unit,
       (l.line ->> 2)::bigint as price,
       l.line ->> 5 as rate,
       r.currency,
       b.payment,
       b.cart,
       b.created_at,
       b.meta::json as meta,
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end) as sold_at,
       b.no as booking_number,
       case when p.kind = 'seats'
            then (select coalesce(s.places[u.n - s.start + 1], s.names[u.n - s.start + 1], s.label || '-' || (s.first + u.n - s.start))
                    from usher.seat_row as s
                   where s.partition = r.partition and s.chart = r.chart and s.section = p.name and s.start <= u.n
                   order by s.start desc limit 1) end as place
  from usher.booking as b
  join usher.decision as made
    on made.partition = b.partition and made.seq = (b.no & ((1::bigint << 48) - 1))
   and (made.partition::bigint << 48 | made.seq) = b.no and made.first
  join usher.resource_here as r on r.no = b.resource_no and r.no = made.resource_no
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral (
     select e.unit::integer as n
       from json_array_elements_text(case when json_typeof(l.line -> 3) = 'array' then l.line -> 3 else '[]' end)
                as e (unit)
     union all
     select null
       from generate_series(1, case when json_typeof(l.line -> 3) = 'number' then (l.line ->> 3)::bigint end)) as u
 cross join lateral (
     select * from usher.pool
      where resource_no = b.resource_no and index = (l.line ->> 1)::integer offset 0) as p
 where b.state = 'confirmed';

comment on column usher.purchase.place is 'of a seat: where it is, for people, as Block D, row 1, seat 7; its name, where that is for people';

create or replace view usher.door_list as
select r.id as resource,
       p.name as pool,
       p.night,
       coalesce(s.names[a.unit - s.start + 1], s.label || '-' || (s.first + a.unit - s.start)) as seat,
       a.unit,
       1::bigint as quantity,
       b.customer,
       b.request_id as booking,
       case when b.one_line then b.one_rate
            else (select l.line ->> 5 from json_array_elements(b.lines::json) as l (line)
                   where l.line ->> 1 = p.index::text
                     and strpos(translate(l.line ->> 3, '[] ', ',,'), ',' || a.unit || ',') > 0 limit 1) end as rate,
       case when b.one_line then b.one_price
            else (select (l.line ->> 2)::bigint from json_array_elements(b.lines::json) as l (line)
                   where l.line ->> 1 = p.index::text
                     and strpos(translate(l.line ->> 3, '[] ', ',,'), ',' || a.unit || ',') > 0 limit 1) end as price,
       r.currency,
       b.payment,
       b.sold_at,
       b.cart,
       b.meta::json as meta,
       r.name,
       r.starts_at,
       b.no as booking_number,
       coalesce(s.places[a.unit - s.start + 1], s.names[a.unit - s.start + 1],
                s.label || '-' || (s.first + a.unit - s.start)) as place
  from usher.resource_here as r
 cross join lateral (
     select no, index, kind, name collate "C" as name, night
       from usher.pool
      where resource_no = r.no and kind in ('seats', 'room')
      order by name collate "C", night) as p
 cross join lateral (
     (select start, seats, label, first, names, places
        from usher.seat_row
       where p.kind = 'seats' and partition = r.partition and chart = r.chart and section = p.name
       order by start)
     union all
     select 0, 2147483647, null, 0, null, null where p.kind = 'room') as s
 cross join lateral (
     select unit, booking
       from usher.allocation
      where pool = p.no and unit >= s.start and unit < s.start + s.seats
      order by unit) as a
 cross join lateral (
     select f.no, f.request_id, f.customer, f.payment, f.cart, f.meta, f.lines,
            strpos(f.lines, '],[') = 0 as one_line,
            nullif(split_part(f.lines, '"', 2), '') as one_rate,
            split_part(f.lines, ',', 3)::bigint as one_price,
            coalesce(f.sold_at, case f.op when 'book' then f.created_at
                                          else (select t.sold_at from usher.sale_time as t
                                                 where t.booking = f.no limit 1) end) as sold_at
       from usher.booking as f
      where f.no = a.booking and f.state = 'confirmed' offset 0) as b
union all
select r.id, p.name collate "C", p.night, null, null,
       case when json_typeof(l.line -> 3) = 'array' then json_array_length(l.line -> 3) else (l.line ->> 3)::bigint end,
       b.customer, b.request_id, l.line ->> 5, (l.line ->> 2)::bigint, r.currency, b.payment,
       coalesce(b.sold_at, case b.op when 'book' then b.created_at
                                   else (select t.sold_at from usher.sale_time as t where t.booking = b.no limit 1) end),
       b.cart, b.meta::json, r.name, r.starts_at, b.no, null
  from usher.resource_here as r
 cross join lateral (
     select from usher.pool
      where resource_no = r.no and kind in ('section', 'product') and sold > 0 limit 1) as any_sold
  join usher.decision as made on made.resource_no = r.no and made.first
  join usher.booking as b on b.no = (made.partition::bigint << 48 | made.seq) and b.state = 'confirmed'
 cross join lateral json_array_elements(b.lines::json) as l (line)
 cross join lateral (
     select * from usher.pool
      where resource_no = r.no and index = (l.line ->> 1)::integer and kind in ('section', 'product') offset 0) as p;

comment on column usher.door_list.place is 'of a seat: where it is, for people, as Block D, row 1, seat 7; its name, where that is for people';
