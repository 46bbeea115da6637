-- What each resource sold, took back and refused in each quarter of an hour, by rate and client: kept with every batch.
--
-- "What did we take today" was summed over all that was sold today, which took as long as there were sales. A day begins at
-- midnight of the place, and the time zones in use are ahead of UTC by a multiple of a quarter of an hour: sums of whole hours would be
-- wrong in India (5:30), Nepal (5:45) or on Lord Howe Island. Workers are stopped first: what an earlier one sold would not be
-- counted. All decisions that sold something are read once, some 30 microseconds each; of these no rate is known, and refusals are
-- counted from now on.

set local role usher_owner;

create table usher.quarter (
    resource_no bigint not null,   -- partition << 48: of requests for no known resource
    began_at timestamptz not null,
    outcome text collate "C" not null check (outcome in ('sold', 'cancelled', 'exchanged', 'refused')),
    rate text collate "C" not null,    -- of what was refused, the reason; '': none, or one of too many
    client text collate "C" not null,  -- that made the booking, or the request; '': none, or one of too many
    bookings bigint not null,          -- or requests that were refused; each counts once, with the first of its rates
    units bigint not null,             -- negative if they came back
    amount numeric not null,           -- in minor units; a sum of what came and went over and over has no other bound
    primary key (resource_no, began_at, outcome, rate, client)
)
-- The rows of this quarter are written by every batch that sells: the next version goes beside the last one.
with (fillfactor = 50);

create index quarter_began on usher.quarter (began_at);

create type usher.quarter_row as (
    resource_no bigint, began_at timestamptz, outcome text, rate text, client text, bookings bigint, units bigint, amount bigint
);

insert into usher.quarter (resource_no, began_at, outcome, rate, client, bookings, units, amount)
select r.no, date_bin('15 minutes', a.decided_at, 'epoch'), case a.outcome when 'confirmed' then 'sold' else a.outcome end, '',
       coalesce(a.client, ''), count(*),
       coalesce(sum((select case a.outcome when 'confirmed' then 1 else -1 end
                            * sum(coalesce((g ->> 'quantity')::bigint, json_array_length(g -> 'seats'), json_array_length(g -> 'tokens')))
                       from json_array_elements(case a.outcome when 'confirmed' then a.units when 'cancelled' then a.returned end)
                         as g)), 0)::bigint,
       sum(a.amount)
  from usher.audit as a
  join usher.resource as r on r.id = a.resource
 group by 1, 2, 3, 5;

grant select, insert, update (bookings, units, amount) on usher.quarter to usher_worker;

-- When the day began at a place; in UTC if nobody here knows where it is.
create function usher.midnight(p_timezone text) returns timestamptz
language plpgsql stable
as $$
begin
    return date_trunc('day', now(), coalesce(p_timezone, 'UTC'));
exception
    when invalid_parameter_value then
        return date_trunc('day', now(), 'UTC');
end
$$;

create view usher.pace as
select r.id as resource, q.began_at, q.outcome, nullif(q.rate, '') as rate, nullif(q.client, '') as client, q.bookings, q.units,
       q.amount, r.currency, r.timezone
  from usher.quarter as q
  join usher.resource_here as r on r.no = q.resource_no;

revoke execute on function usher.midnight from public;
grant execute on function usher.midnight to usher_reader, usher_worker;
grant select on usher.pace to usher_reader, usher_worker;

comment on table usher.quarter is 'what resources sold, took back and refused, by quarters of an hour';
comment on column usher.quarter.resource_no is 'resource; partition << 48: none that is known';
comment on column usher.quarter.began_at is 'when the quarter of an hour began';
comment on column usher.quarter.outcome is 'sold, cancelled, exchanged, refused';
comment on column usher.quarter.rate is 'rate, or reason of a refusal; empty: none, or one of too many';
comment on column usher.quarter.client is 'client that made the booking, or the request; empty: none, or one of too many';
comment on column usher.quarter.bookings is 'how many, or requests that were refused; each once, with the first of its rates';
comment on column usher.quarter.units is 'how many, negative if they came back';
comment on column usher.quarter.amount is 'their price, in minor units of the currency, negative if they came back';
comment on function usher.midnight is 'when the day began in a time zone; in UTC if it is unknown';
comment on view usher.pace is 'what resources sold, took back and refused in each quarter of an hour, by rate and client';
comment on column usher.pace.resource is 'resource';
comment on column usher.pace.began_at is 'when the quarter of an hour began';
comment on column usher.pace.outcome is 'sold, cancelled, exchanged, refused';
comment on column usher.pace.rate is 'rate, or reason of a refusal; null: none, or one of too many';
comment on column usher.pace.client is 'client that made the booking, or the request; null: none, or one of too many';
comment on column usher.pace.bookings is 'how many, or requests that were refused; each once, with the first of its rates';
comment on column usher.pace.units is 'how many, negative if they came back';
comment on column usher.pace.amount is 'their price, in minor units of the currency, negative if they came back';
comment on column usher.pace.currency is 'of the amount';
comment on column usher.pace.timezone is 'where the resource is';
