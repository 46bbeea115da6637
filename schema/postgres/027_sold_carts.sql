-- Carts that were sold of late, found without a look at anything else that was decided.
--
-- A worker counts carts that are sold only in part, each minute. It looked at each decision of four minutes, and at its booking,
-- whether that was in a cart or not: a microsecond for each of them. Beside workers that must not wait while it is made, the index
-- can be made before:
--
--     create index concurrently booking_cart_sold on usher.booking (sold_at) where cart is not null and sold_at is not null;

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (27, 22);

create index if not exists booking_cart_sold on usher.booking (sold_at) where cart is not null and sold_at is not null;
