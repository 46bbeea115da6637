-- A request or a booking by its id alone, in all resources; and the latest decisions of a time.
--
-- Batches pay nothing for it: each resource is asked in turn by the index that keeps its request ids unique. An index of
-- the hashes alone would be a key more at a random place for every request, of which there are a thousand times more
-- than resources.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (21, 19);

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

revoke execute on function usher.booking_numbers, usher.decisions_on, usher.decisions_between from public;
grant execute on function usher.booking_numbers, usher.decisions_on, usher.decisions_between to usher_reader, usher_worker;

-- ---- comments --------------------------------------------------------------------------------------
comment on function usher.booking_numbers is
    'numbers of the bookings of that id, in all resources: the index of each is searched';
comment on function usher.decisions_on is
    'decisions on requests of that id, in all resources, as keys of usher.history: the index of each is searched';
comment on function usher.decisions_between is
    'the latest decisions of [from, until), so many of each partition, on a request id or all, as keys of usher.history';
