-- Where to look: functions that find by an index what a view alone would look for in all of its rows. Those that read tables have
-- the owner's rights, since who reads views may not read tables.
--
-- Batches pay nothing for it. A request id is found in each resource in turn, by the index that keeps it unique there: one of the
-- hashes alone would be a key more at a random place for every request, of which there are a thousand times more than resources.
-- Decisions of a partition lie in the order of time, so a time is found by halving.

set local role usher_owner;

-- ---- by id ---------------------------------------------------------------------------------------
-- The number of a booking, by which the index of its history goes.
create function usher.booking_number(p_resource text, p_booking text) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select d.booking_no
      from usher.resource as r
      join usher.decision as d
        on d.resource_no = r.no and d.first
       and d.id_hash = encode(substr(sha256(convert_to(p_booking, 'UTF8')), 1, 16), 'hex')::uuid
     where r.id = p_resource and d.request_id = p_booking
       and d.booking_no = (d.partition::bigint << 48 | d.seq)
$$;

-- The numbers of the bookings of that id, in all resources.
create function usher.booking_numbers(p_booking text) returns bigint[]
language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off
as $$
    select coalesce(array_agg(d.booking_no), '{}')
      from usher.resource as r
     cross join lateral (
         select booking_no
           from usher.decision
          where resource_no = r.no and first and request_id = p_booking
            and id_hash = encode(substr(sha256(convert_to(p_booking, 'UTF8')), 1, 16), 'hex')::uuid
            and booking_no = (partition::bigint << 48 | seq) offset 0) as d
$$;

-- The decisions on requests of that id, in all resources: the first, its repeats, and what became of the booking that it made
-- by itself, which bears the same id. A row for each booking that one made or changed, as in usher.history.
create function usher.decisions_on(
    p_request text, out partition integer, out seq bigint, out booking_number bigint
) returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off
as $$
    with answered as materialized (
        select r.id as resource, d.partition, d.seq, d.bookings
          from usher.resource as r
         cross join lateral (
             select partition, seq, coalesce(booking_nos, array[booking_no]) as bookings
               from usher.decision
              where resource_no = r.no and first and request_id = p_request
                and id_hash = encode(substr(sha256(convert_to(p_request, 'UTF8')), 1, 16), 'hex')::uuid offset 0) as d
    )
    select a.partition, a.seq, unnest(a.bookings) from answered as a
    union all
    select d.partition, d.seq, d.booking_no
      from answered as a
      join usher.decision as d
        on d.booking_no = (a.partition::bigint << 48 | a.seq) and d.booking_no <> (d.partition::bigint << 48 | d.seq)
     where d.request_id = p_request and not d.first
    union all
    select d.partition, d.seq, null
      from answered as a
      join usher.decision as d on d.resource = a.resource and not d.first and d.booking_no is null
     where d.request_id = p_request
$$;

-- ---- by time -------------------------------------------------------------------------------------
-- The first seq of a partition that was decided at that time or later, among the decisions from p_first on and before p_end
-- (null: those that are not yet made); p_end, or next_seq: none was.
create function usher.seq_at(
    p_partition integer, p_at timestamptz, p_first bigint default 1, p_end bigint default null
) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    before bigint := p_first - 1; -- what is up to here was decided earlier
    found_seq bigint := p_end;    -- what is from here on was not
    middle bigint;
    at timestamptz;
begin
    if found_seq is null then
        select next_seq into found_seq from usher.partition_state where partition = p_partition;
    end if;
    while found_seq - before > 1 loop
        middle := (before + found_seq) / 2;
        select d.decided_at into at
          from usher.decision as d
         where d.partition = p_partition and d.seq >= middle order by d.seq limit 1;
        if at < p_at then
            before := middle;
        else
            found_seq := middle;
        end if;
    end loop;
    return found_seq;
end
$$;

-- A row for each stretch of a partition in which time does not go back.
create function usher.partition_span(
    p_from timestamptz, p_until timestamptz,
    out partition integer, out first_seq bigint, out end_seq bigint
) returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select s.partition, usher.seq_at(s.partition, p_from, s.first, s.stop),
           usher.seq_at(s.partition, p_until, s.first, s.stop)
      from (select b.partition, b.first,
                   lead(b.first) over (partition by b.partition order by b.first) as stop
              from (select p.partition, 1::bigint as first from usher.home as p
                    union
                    select r.partition, r.seq from usher.clock_reset as r
                     where (r.partition in (select partition from usher.home)) is true) as b) as s
$$;

-- The audit of [p_from, p_until), without reading what was decided before or after.
create function usher.audit_between(p_from timestamptz, p_until timestamptz) returns setof usher.audit
language plpgsql stable set jit = off
as $$
declare
    span record;
begin
    for span in select * from usher.partition_span(p_from, p_until) loop
        return query
            select * from usher.audit
             where partition = span.partition and seq >= span.first_seq and seq < span.end_seq;
    end loop;
end
$$;

-- The latest decisions of [p_from, p_until), p_limit of each partition, on requests of that id (null: on all), without reading
-- what was decided before or after. Rows as of usher.decisions_on.
create function usher.decisions_between(
    p_from timestamptz, p_until timestamptz, p_request text, p_limit bigint,
    out partition integer, out seq bigint, out booking_number bigint
) returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off
as $$
    select s.partition, d.seq, unnest(d.bookings)
      from usher.partition_span(p_from, p_until) as s
     cross join lateral (
         select f.seq, coalesce(f.booking_nos, array[f.booking_no]) as bookings
           from usher.decision as f
          where f.partition = s.partition and f.seq >= s.first_seq and f.seq < s.end_seq
            and (p_request is null or f.request_id = p_request)
          order by f.seq desc limit p_limit) as d
$$;

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

-- ---- permissions ---------------------------------------------------------------------------------
revoke execute on function usher.booking_number, usher.booking_numbers, usher.decisions_on, usher.seq_at, usher.partition_span,
    usher.audit_between, usher.decisions_between, usher.carts_between from public;
grant execute on function usher.booking_number, usher.booking_numbers, usher.decisions_on, usher.partition_span,
    usher.audit_between, usher.decisions_between, usher.carts_between to usher_reader, usher_worker;
