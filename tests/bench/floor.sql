-- The tables of the floor: as many rows a booking as usher writes, of the same widths and with the
-- same indexes, but without any rule. Seats have a row each, a section by capacity has its counters.
set client_min_messages = warning;
drop schema if exists floor cascade;
create schema floor;

create table floor.state (partition integer primary key, next_offset bigint not null, next_seq bigint not null)
with (fillfactor = 10);
insert into floor.state values (0, 0, 1);

create table floor.booking (no bigint primary key, resource_no bigint not null, expires_at timestamptz not null, request_id text not null, lines text not null);
create index on floor.booking (expires_at, no);
create table floor.allocation (pool bigint not null, booking bigint not null, unit integer not null, primary key (pool, unit) with (fillfactor = 80));

create table floor.pool (
    no bigint primary key, resource_no bigint not null, index integer not null, kind text not null, name text not null,
    night date, title text, capacity integer not null, price bigint not null, overbook integer not null, rates text,
    properties text, held integer not null, sold integer not null, blocked integer not null,
    unique (resource_no, index),
    check (held >= 0 and sold >= 0 and blocked >= 0 and held::bigint + sold + blocked <= capacity)
)
with (fillfactor = 50);
insert into floor.pool values (1, 1, 0, 'section', 'stalls', null, null, 2000000000, 4500, 0, null, null, 0, 0, 0);

create function floor.expect(what text, actual bigint, wanted bigint) returns boolean
language plpgsql stable
as $$
begin
    if actual <> wanted then
        raise exception '%: % rows instead of %', what, actual, wanted;
    end if;
    return true;
end
$$;

create table floor.decision (seq bigint not null, resource_no bigint not null, decided_at timestamptz not null, partition integer not null, id_hash uuid not null, request_id text not null, body text not null, primary key (partition, seq));
create unique index on floor.decision (resource_no, id_hash);
