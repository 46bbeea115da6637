-- The tables of the floor: as many rows a booking as usher writes, of the same widths and with the
-- same indexes, but without any rule.
set client_min_messages = warning;
drop schema if exists floor cascade;
create schema floor;

create table floor.state (partition integer primary key, next_offset bigint not null, next_seq bigint not null)
with (fillfactor = 10);
insert into floor.state values (0, 0, 1);

create table floor.booking (no bigint primary key, resource_no bigint not null, expires_at timestamptz not null, request_id text not null, lines text not null);
create index on floor.booking (expires_at, no);
create table floor.allocation (pool bigint not null, booking bigint not null, unit integer not null, primary key (pool, unit) with (fillfactor = 80));
create table floor.decision (seq bigint not null, resource_no bigint not null, decided_at timestamptz not null, partition integer not null, id_hash uuid not null, request_id text not null, body text not null, primary key (partition, seq));
create unique index on floor.decision (resource_no, id_hash);
