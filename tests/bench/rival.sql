-- The tables of the lock-based rival: a row a seat, an index of the free ones, a row a booking.
set client_min_messages = warning;
drop schema if exists rival cascade;
create schema rival;
create table rival.seat (unit integer primary key, state text not null default 'free', customer integer)
with (fillfactor = 50);
insert into rival.seat (unit) select generate_series(0, 199999);
create index on rival.seat (unit) where state = 'free';
create table rival.booking (
    no bigserial primary key, customer integer not null, units integer[] not null,
    expires_at timestamptz not null, answer text not null
);
vacuum analyze rival.seat;
