-- The tables of the rivals: a row a seat, an index of the free ones, a row a booking, of the width that usher's own
-- rows of a booking have together. What only one rival needs stands with its function.
set client_min_messages = warning;
drop schema if exists rival cascade;
create schema rival;

create table rival.show (no integer primary key);
insert into rival.show values (1);

create table rival.seat (unit integer not null, state text not null default 'free', customer integer)
with (fillfactor = 50);
insert into rival.seat (unit) select generate_series(0, :seats - 1);
-- Both are built at once, and that of the free ones is packed, for nothing is ever added to it: of two that cost as much to
-- enter the planner may take the key's, and then passes over all that is sold.
alter table rival.seat add primary key (unit);
create index on rival.seat (unit) with (fillfactor = 100) where state = 'free';

create table rival.booking (
    no bigserial primary key, customer integer not null, units integer[] not null,
    expires_at timestamptz not null, answer text not null
);

-- Holds two seats that the caller has made sure of. The same for all rivals.
create function rival.hold(p_customer integer, p_units integer[]) returns void
language sql
as $$
    insert into rival.booking (customer, units, expires_at, answer)
    values (p_customer, p_units, now() + interval '15 minutes', repeat('x', 400))
$$;

vacuum analyze rival.seat;
checkpoint;
