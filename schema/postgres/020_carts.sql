-- Carts over several resources: the bookings of a customer under one name, whichever resources and partitions they are in.
--
-- The index of carts begins with the name, so that it finds a cart in one resource, as the worker asks, and in all. It takes
-- the place of the one that began with the resource, and costs the same; a second one would make inserting bookings in carts
-- half as slow again. Beside workers that must not wait while it is made, it can be made before:
--
--     create index concurrently booking_cart_name on usher.booking (cart, customer, resource_no, no) where cart is not null;

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (20, 19);

drop index usher.booking_cart;
create index if not exists booking_cart_name on usher.booking (cart, customer, resource_no, no) where cart is not null;
alter index usher.booking_cart_name rename to booking_cart;

-- When each booking was changed, by its number; when it was made, it says itself. For other views.
create view usher.booking_change as
select d.booking_no as booking, d.decided_at as changed_at
  from usher.decision as d
 where d.booking_no is not null and d.booking_no <> (d.partition::bigint << 48 | d.seq)
union all
select c.booking, d.decided_at
  from usher.cart_decision as c
  join usher.decision as d on d.partition = c.partition and d.seq = c.seq;

-- A booking is left out of a sale if it was held when another one of its cart was sold, or had expired just before, and was
-- never sold: of all that were sold before it ended (and a moment), the last was sold after it was made. Bookings that were
-- released before do not belong to the sale, and one that was booked at once is a sale of its own.
create view usher.cart as
select c.customer,
       c.cart,
       case when bool_or(c.state in ('held', 'released', 'expired') and c.sold_at is null and c.last_sold_at >= c.created_at)
                 then 'mixed'
            when bool_or(c.state = 'held') then 'held'
            when bool_or(c.state = 'waiting') then 'waiting'
            when bool_or(c.state = 'confirmed') then 'confirmed'
            when bool_and(c.state = 'expired') then 'expired'
            else 'cancelled' end as state,
       count(*) as bookings,
       coalesce(sum(c.units) filter (where c.state in ('held', 'confirmed')), 0)::bigint as units,
       (select coalesce(json_object_agg(coalesce(t.currency, ''), t.total order by t.currency), '{}')
          from (select b.currency, sum(b.total)::bigint as total
                  from usher.bookings as b
                 where b.customer = c.customer and b.cart = c.cart and b.state in ('held', 'confirmed')
                 group by b.currency) as t) as totals,
       min(c.created_at) as created_at,
       greatest(max(c.created_at), max((select max(d.changed_at) from usher.booking_change as d
                                         where d.booking = c.booking_number))) as modified_at,
       max(c.sold_at) as sold_at,
       json_agg(json_strip_nulls(json_build_object(
           'resource', c.resource, 'booking', c.booking, 'state', c.state, 'units', c.units, 'total', c.total,
           'currency', c.currency, 'created_at', c.created_at, 'sold_at', c.sold_at, 'ends_at', c.ends_at, 'items', c.items))
           order by c.created_at, c.booking_number) as lines
  from (select b.*,
               max(b.sold_at) filter (where b.state = 'confirmed' and b.op = 'hold') over (
                   partition by b.customer, b.cart
                   order by case when b.sold_at is not null then b.sold_at
                                 when b.state in ('expired', 'released') then least(
                                     b.ends_at + interval '10 seconds',
                                     case b.state when 'released' then (
                                         select max(d.changed_at) from usher.booking_change as d
                                          where d.booking = b.booking_number) end)
                                 else 'infinity' end) as last_sold_at
          from usher.bookings as b
         where b.cart is not null and b.customer is not null) as c
 group by c.customer, c.cart;

-- The carts of which a booking was made or changed in [p_from, p_until), without reading what was decided before or after.
create function usher.carts_between(p_from timestamptz, p_until timestamptz, out customer text, out cart text)
returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off
as $$
    select distinct b.customer, b.cart
      from usher.partition_span(p_from, p_until) as s
     cross join lateral (
         select unnest(coalesce(d.booking_nos, array[d.booking_no])) as booking
           from usher.decision as d
          where d.partition = s.partition and d.seq >= s.first_seq and d.seq < s.end_seq
            and (d.booking_no is not null or d.booking_nos is not null) offset 0) as c
     cross join lateral (
         select f.customer, f.cart
           from usher.booking as f
          where f.no = c.booking and f.cart is not null and f.customer is not null offset 0) as b
$$;

revoke execute on function usher.carts_between from public;
grant select on usher.cart to usher_reader, usher_worker;
grant execute on function usher.carts_between to usher_reader, usher_worker;

-- ---- comments --------------------------------------------------------------------------------------
comment on view usher.booking_change is 'when each booking was changed; for other views';
comment on column usher.booking_change.booking is 'number of the booking';
comment on column usher.booking_change.changed_at is 'when';

comment on function usher.carts_between is
    'carts of which a booking was made or changed in [from, until), without reading what is earlier or later';

comment on view usher.cart is 'bookings of a customer under one name, over all resources; by cart, or customer';
comment on column usher.cart.customer is 'whose it is';
comment on column usher.cart.cart is 'its name';
comment on column usher.cart.state is
    'held, waiting, confirmed (sold), over: expired, cancelled; or mixed: a part is sold, and another, held then, is not';
comment on column usher.cart.bookings is 'how many, those that are over included';
comment on column usher.cart.units is 'how many are held or sold';
comment on column usher.cart.totals is 'JSON {"EUR":9000}: price of these, in minor units of each currency';
comment on column usher.cart.created_at is 'when its first booking was made';
comment on column usher.cart.modified_at is 'when any of its bookings was made or changed last';
comment on column usher.cart.sold_at is 'when any of its bookings was sold last';
comment on column usher.cart.lines is 'JSON: its bookings, with their units as answers have them';
