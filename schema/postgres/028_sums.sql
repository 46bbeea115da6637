-- What all that is held of a resource costs, kept as its takings are: with every batch that changes it.
--
-- Nothing is held or sold whose price would bring both together above 2^53 - 1: beyond it a sum could break a constraint here, and
-- is inexact in JavaScript. To know that, a worker must have both. Workers are stopped first: what an earlier one held would
-- not be counted. The holds of each resource are read once.

set local role usher_owner;

alter table usher.resource add column promised bigint not null default 0 check (promised >= 0);
update usher.resource as r
   set promised = b.total
  from (select resource_no, sum(total) as total from usher.booking where state = 'held' group by resource_no) as b
 where r.no = b.resource_no;
grant update (promised) on usher.resource to usher_worker;

alter type usher.resource_row add attribute promised bigint;
alter type usher.resource_mark_row add attribute promised bigint;

comment on column usher.resource.promised is 'price of all that is held, in minor units of the currency';

-- As it was, but the total of a cart over many resources stops at what JavaScript counts exactly, and cannot overflow.
-- The program has the same for bookings of several databases (view.sql: carts_of); a test compares them.
create or replace view usher.cart as
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
          from (select b.currency, least(sum(b.total), 9007199254740991)::bigint as total
                  from usher.cart_booking as b
                 where b.customer = c.customer and b.cart = c.cart and b.state in ('held', 'confirmed')
                 group by b.currency) as t) as totals,
       min(c.created_at) as created_at,
       max(c.changed_at) as modified_at,
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
                                     case b.state when 'released' then b.changed_at end)
                                 else 'infinity' end) as last_sold_at
          from usher.cart_booking as b) as c
 group by c.customer, c.cart;
