SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA usher;
ALTER SCHEMA usher OWNER TO usher_owner;
COMMENT ON SCHEMA usher IS 'hands out scarce units: bookings, allocations, decisions';
CREATE TYPE usher.allocation_row AS (
	pool bigint,
	booking bigint,
	unit integer
);
ALTER TYPE usher.allocation_row OWNER TO usher_owner;
CREATE TYPE usher.booking_change_row AS (
	no bigint,
	was text,
	state text,
	created_at timestamp with time zone,
	expires_at timestamp with time zone,
	ttl_s integer,
	total bigint,
	customer text,
	cart text,
	payment text,
	note text,
	wants text,
	lines text
);
ALTER TYPE usher.booking_change_row OWNER TO usher_owner;
CREATE TYPE usher.booking_row AS (
	no bigint,
	partition integer,
	resource_no bigint,
	created_at timestamp with time zone,
	expires_at timestamp with time zone,
	total bigint,
	state text,
	op text,
	request_id text,
	client text,
	customer text,
	cart text,
	payment text,
	note text,
	lines text,
	meta text,
	ttl_s integer,
	wants text
);
ALTER TYPE usher.booking_row OWNER TO usher_owner;
CREATE TYPE usher.cart_decision_row AS (
	booking bigint,
	seq bigint
);
ALTER TYPE usher.cart_decision_row OWNER TO usher_owner;
CREATE TYPE usher.chart_row AS (
	hash text,
	content text
);
ALTER TYPE usher.chart_row OWNER TO usher_owner;
CREATE TYPE usher.dead_letter_row AS (
	seq bigint,
	source_offset bigint,
	truncated boolean,
	reason text,
	key bytea,
	value bytea
);
ALTER TYPE usher.dead_letter_row OWNER TO usher_owner;
CREATE TYPE usher.decision_row AS (
	seq bigint,
	source_offset bigint,
	resource_no bigint,
	booking_no bigint,
	decided_at timestamp with time zone,
	appended_at timestamp with time zone,
	partition integer,
	epoch integer,
	codec smallint,
	first boolean,
	replayed boolean,
	cloud_events boolean,
	id_hash uuid,
	content_hash uuid,
	outcome text,
	op text,
	reason text,
	request_id text,
	resource text,
	key bytea,
	client text,
	traceparent text,
	body text,
	booking_nos bigint[]
);
ALTER TYPE usher.decision_row OWNER TO usher_owner;
CREATE TYPE usher.new_booking_row AS (
	no bigint,
	partition integer,
	resource_no bigint,
	created_at timestamp with time zone,
	expires_at timestamp with time zone,
	total bigint,
	state text,
	op text,
	request_id text,
	client text,
	customer text,
	cart text,
	payment text,
	note text,
	lines text,
	meta text,
	ttl_s integer,
	wants text,
	sold_at timestamp with time zone
);
ALTER TYPE usher.new_booking_row OWNER TO usher_owner;
CREATE TYPE usher.pool_change_row AS (
	no bigint,
	resource_no bigint,
	index integer,
	kind text,
	title text,
	capacity integer,
	price bigint,
	overbook integer,
	rates text,
	properties text,
	was_held integer,
	was_sold integer,
	was_blocked integer,
	held integer,
	sold integer,
	blocked integer
);
ALTER TYPE usher.pool_change_row OWNER TO usher_owner;
CREATE TYPE usher.pool_move_row AS (
	no bigint,
	was_held integer,
	was_sold integer,
	was_blocked integer,
	held integer,
	sold integer,
	blocked integer
);
ALTER TYPE usher.pool_move_row OWNER TO usher_owner;
CREATE TYPE usher.pool_row AS (
	no bigint,
	resource_no bigint,
	index integer,
	kind text,
	name text,
	night date,
	title text,
	capacity integer,
	price bigint,
	overbook integer,
	rates text,
	properties text,
	held integer,
	sold integer,
	blocked integer
);
ALTER TYPE usher.pool_row OWNER TO usher_owner;
CREATE TYPE usher.resource_mark_row AS (
	no bigint,
	rev bigint,
	cancelling text,
	unserved boolean
);
ALTER TYPE usher.resource_mark_row OWNER TO usher_owner;
CREATE TYPE usher.resource_row AS (
	no bigint,
	id text,
	state text,
	name text,
	venue text,
	description text,
	timezone text,
	currency text,
	starts_at timestamp with time zone,
	ends_at timestamp with time zone,
	hold_ttl_s bigint,
	rev bigint,
	chart text,
	opens_at timestamp with time zone,
	closes_at timestamp with time zone,
	strategy text,
	terms text,
	cancelling text,
	unserved boolean
);
ALTER TYPE usher.resource_row OWNER TO usher_owner;
CREATE FUNCTION usher.accept_topic(p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    stored usher.partition_state;
    stood usher.partitions;
    at_work boolean;
    published bigint;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    select * into stood from usher.partitions where partition = p_partition;
    at_work := stood.connected and stood.halted is null;
    if at_work and p_topics <> 'requests' then
        raise exception 'worker % has a session for partition %', stood.owner, p_partition using errcode = 'US002';
    end if;
    if stored is null or not at_work and (stored.next_offset is distinct from p_next_offset or stored.next_seq <> p_next_seq) then
        raise exception 'partition % stands at offset % now, its next seq is %', p_partition, stored.next_offset, stored.next_seq
            using errcode = 'US002';
    end if;
    published := least(stored.published_seq, coalesce(p_published_seq, stored.published_seq));
    update usher.partition_state
       set next_offset = case when p_topics = 'results' then next_offset end,
           fingerprint_offset = case when p_topics = 'results' then fingerprint_offset end,
           fingerprint = case when p_topics = 'results' then fingerprint end,
           published_result_offset = case when p_topics = 'requests' then published_result_offset end,
           published_seq = published,
           owner = null, backend_pid = null, backend_start = null,
           epoch = epoch + 1
     where partition = p_partition;
    insert into usher.partition_topic (partition, epoch, topics, next_offset, next_seq, published_seq, reason)
    values (p_partition, stored.epoch + 1, p_topics, stored.next_offset, stored.next_seq, published, p_reason);
    return usher.end_halt(p_partition, stored.epoch);
end
$$;
ALTER FUNCTION usher.accept_topic(p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.accept_topic(p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text) IS 'takes topics for new ones; for usher_owner';
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE usher.partition_state (
    partition integer NOT NULL,
    partition_count integer NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    next_offset bigint,
    next_seq bigint DEFAULT 1 NOT NULL,
    now timestamp with time zone,
    published_seq bigint DEFAULT 0 NOT NULL,
    published_result_offset bigint,
    fingerprint_offset bigint,
    fingerprint bigint,
    owner text,
    backend_pid integer,
    backend_start timestamp with time zone,
    acquired_at timestamp with time zone,
    CONSTRAINT partition_state_check CHECK (((partition >= 0) AND (partition < partition_count))),
    CONSTRAINT partition_state_check1 CHECK (((published_seq >= 0) AND (published_seq < next_seq))),
    CONSTRAINT partition_state_next_offset_check CHECK ((next_offset >= 0))
)
WITH (fillfactor='10', vacuum_truncate=off);
ALTER TABLE usher.partition_state OWNER TO usher_owner;
COMMENT ON TABLE usher.partition_state IS 'where each partition stands; written with every batch, by usher.advance and usher.acquire only';
COMMENT ON COLUMN usher.partition_state.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partition_state.partition_count IS 'of the topic of requests; permanent';
COMMENT ON COLUMN usher.partition_state.epoch IS 'how many times the partition has changed owner: who writes under an older one is refused';
COMMENT ON COLUMN usher.partition_state.next_offset IS 'of the first request in Kafka that is not decided; null: none was';
COMMENT ON COLUMN usher.partition_state.next_seq IS 'number of the next decision';
COMMENT ON COLUMN usher.partition_state.now IS 'time of the last decision; the next one is not earlier';
COMMENT ON COLUMN usher.partition_state.published_seq IS 'answers up to this decision are known to be in Kafka';
COMMENT ON COLUMN usher.partition_state.published_result_offset IS 'where the last of them lies in the topic of answers';
COMMENT ON COLUMN usher.partition_state.fingerprint_offset IS 'of a request that was decided …';
COMMENT ON COLUMN usher.partition_state.fingerprint IS '… and a digest of it: tells whether the topic is still the same';
COMMENT ON COLUMN usher.partition_state.owner IS 'the worker, and a token of its assignment';
COMMENT ON COLUMN usher.partition_state.backend_pid IS 'of its session, by which a stuck predecessor is terminated';
COMMENT ON COLUMN usher.partition_state.backend_start IS 'of that session: a pid may be used again';
COMMENT ON COLUMN usher.partition_state.acquired_at IS 'when it took the partition';
CREATE FUNCTION usher.acquire(p_partition integer, p_partition_count integer, p_expected_epoch integer, p_owner text, p_backend_pid integer, p_backend_start timestamp with time zone, OUT state usher.partition_state, OUT last_pool bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    recorded integer;
    is_first boolean;
begin
    is_first := not exists (select from usher.partition_state where partition = p_partition);
    if is_first then
        -- Two first starts with different counts must not both succeed.
        perform from usher.schema_migration where version = 1 for update;
    end if;
    select partition_count into recorded
      from usher.partition_state where partition_count <> p_partition_count limit 1;
    if found then
        raise exception '% partitions are recorded, not %', recorded, p_partition_count
            using errcode = 'US004';
    end if;
    if is_first then
        insert into usher.partition_state (partition, partition_count)
        values (p_partition, p_partition_count)
        on conflict do nothing;
    end if;

    -- Looked at first, since whoever is fenced need not wait for the lock: epochs only grow.
    select s.* into state from usher.partition_state s where s.partition = p_partition;
    if not (p_expected_epoch in (0, state.epoch) or state.owner = p_owner) then
        raise exception 'partition % is in epoch %, not %',
            p_partition, state.epoch, p_expected_epoch using errcode = 'US001';
    end if;
    update usher.partition_state s
       set epoch = s.epoch + 1, owner = p_owner, acquired_at = clock_timestamp(),
           backend_pid = p_backend_pid, backend_start = p_backend_start
     where s.partition = p_partition
       and (p_expected_epoch in (0, s.epoch) or s.owner = p_owner)
    returning s.* into state;
    if not found then
        raise exception 'partition % is no longer in epoch %', p_partition, p_expected_epoch
            using errcode = 'US001'; -- it went while we waited
    end if;
    -- After the lock: what a predecessor committed meanwhile is seen from here on.
    select coalesce(max(no), 0) & ((1::bigint << 48) - 1) into last_pool
      from usher.pool
     where no between p_partition::bigint << 48 and ((p_partition + 1)::bigint << 48) - 1;
end
$$;
ALTER FUNCTION usher.acquire(p_partition integer, p_partition_count integer, p_expected_epoch integer, p_owner text, p_backend_pid integer, p_backend_start timestamp with time zone, OUT state usher.partition_state, OUT last_pool bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.acquire(p_partition integer, p_partition_count integer, p_expected_epoch integer, p_owner text, p_backend_pid integer, p_backend_start timestamp with time zone, OUT state usher.partition_state, OUT last_pool bigint) IS 'takes a partition for the next epoch';
CREATE FUNCTION usher.add_seat_rows() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    chart usher.chart;
begin
    for chart in select * from added loop
        begin
            insert into usher.seat_row
            select s.* from usher.rows_of_chart(chart.partition, chart.hash, chart.content) as s;
        exception
            when data_exception or not_null_violation then
                null;
        end;
    end loop;
    return null;
end
$$;
ALTER FUNCTION usher.add_seat_rows() OWNER TO usher_owner;
COMMENT ON FUNCTION usher.add_seat_rows() IS 'keeps seat_row as chart is';
CREATE FUNCTION usher.advance(p_partition integer, p_epoch integer, p_expected_offset bigint, p_expected_seq bigint, p_next_offset bigint, p_next_seq bigint, p_now timestamp with time zone, p_fingerprint_offset bigint, p_fingerprint bigint, p_published_seq bigint, p_published_result_offset bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    stored usher.partition_state;
begin
    -- Each batch moves, so that the same batch cannot begin twice at one place; the published position may move alone.
    if p_next_seq < p_expected_seq
        or coalesce(p_next_offset, -1) < coalesce(p_expected_offset, -1)
        or (p_next_seq = p_expected_seq
            and p_next_offset is not distinct from p_expected_offset
            and p_published_seq <= coalesce((select s.published_seq
                                               from usher.partition_state as s
                                              where s.partition = p_partition and s.epoch = p_epoch), 0))
    then
        raise exception 'partition %: a batch must move on from offset % seq %, not to % and %',
            p_partition, p_expected_offset, p_expected_seq, p_next_offset, p_next_seq
            using errcode = 'US003';
    end if;

    update usher.partition_state
       set next_offset = p_next_offset,
           next_seq = p_next_seq,
           now = greatest(now, p_now),
           fingerprint_offset = p_fingerprint_offset,
           fingerprint = p_fingerprint,
           published_seq = greatest(published_seq, p_published_seq),
           published_result_offset = case when p_published_seq >= published_seq
                                          then p_published_result_offset
                                          else published_result_offset end
     where partition = p_partition
       and epoch = p_epoch
       and next_offset is not distinct from p_expected_offset
       and next_seq = p_expected_seq;
    if found then
        return;
    end if;

    select * into stored from usher.partition_state where partition = p_partition;
    if stored.epoch is distinct from p_epoch then
        raise exception 'partition % is in epoch %, not %', p_partition, stored.epoch, p_epoch
            using errcode = 'US001';
    end if;
    raise exception 'partition % stands at offset % seq %, not at % and %',
        p_partition, stored.next_offset, stored.next_seq, p_expected_offset, p_expected_seq
        using errcode = 'US002';
end
$$;
ALTER FUNCTION usher.advance(p_partition integer, p_epoch integer, p_expected_offset bigint, p_expected_seq bigint, p_next_offset bigint, p_next_seq bigint, p_now timestamp with time zone, p_fingerprint_offset bigint, p_fingerprint bigint, p_published_seq bigint, p_published_result_offset bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.advance(p_partition integer, p_epoch integer, p_expected_offset bigint, p_expected_seq bigint, p_next_offset bigint, p_next_seq bigint, p_now timestamp with time zone, p_fingerprint_offset bigint, p_fingerprint bigint, p_published_seq bigint, p_published_result_offset bigint) IS 'the guard, first statement of every batch: moves a partition on, or raises an error if it is another''s (US001) or stands elsewhere (US002)';
CREATE TABLE usher.cart_decision (
    booking bigint NOT NULL,
    partition integer NOT NULL,
    seq bigint NOT NULL
);
ALTER TABLE usher.cart_decision OWNER TO usher_owner;
COMMENT ON TABLE usher.cart_decision IS 'decisions about several bookings, by booking';
COMMENT ON COLUMN usher.cart_decision.booking IS 'number of the booking';
COMMENT ON COLUMN usher.cart_decision.partition IS 'of the decision';
COMMENT ON COLUMN usher.cart_decision.seq IS 'of the decision';
CREATE TABLE usher.decision (
    seq bigint NOT NULL,
    source_offset bigint,
    resource_no bigint,
    booking_no bigint,
    decided_at timestamp with time zone NOT NULL,
    appended_at timestamp with time zone,
    partition integer NOT NULL,
    epoch integer NOT NULL,
    codec smallint NOT NULL,
    first boolean NOT NULL,
    replayed boolean NOT NULL,
    cloud_events boolean NOT NULL,
    id_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    outcome text NOT NULL,
    op text,
    reason text,
    request_id text,
    resource text,
    key bytea,
    client text,
    traceparent text,
    body text NOT NULL,
    booking_nos bigint[],
    CONSTRAINT decision_body_check CHECK ((octet_length(body) <= 524288)),
    CONSTRAINT decision_check CHECK (((request_id IS NOT NULL) OR (NOT first))),
    CONSTRAINT decision_check1 CHECK (((resource_no IS NOT NULL) OR (NOT first))),
    CONSTRAINT decision_outcome_check CHECK ((outcome <> ''::text)),
    CONSTRAINT decision_seq_check CHECK ((seq > 0))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_freeze_min_age='0');
ALTER TABLE usher.decision OWNER TO usher_owner;
COMMENT ON TABLE usher.decision IS 'what was decided: history, and the answers that go out, at once';
COMMENT ON COLUMN usher.decision.seq IS 'number of the decision within its partition, without gaps';
COMMENT ON COLUMN usher.decision.source_offset IS 'of its request in Kafka; null: nobody asked (expiry, waiting list, closed resource, returned block)';
COMMENT ON COLUMN usher.decision.resource_no IS 'the resource; null: there is none of that name';
COMMENT ON COLUMN usher.decision.booking_no IS 'the one booking that it made or changed';
COMMENT ON COLUMN usher.decision.decided_at IS 'when';
COMMENT ON COLUMN usher.decision.appended_at IS 'when its request was appended in Kafka';
COMMENT ON COLUMN usher.decision.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.decision.epoch IS 'of the partition then';
COMMENT ON COLUMN usher.decision.codec IS 'version in which body and hashes are written';
COMMENT ON COLUMN usher.decision.first IS 'the first answer to its request id: the one that a repeated request gets again';
COMMENT ON COLUMN usher.decision.replayed IS 'a repeat: the answer is that of an earlier decision';
COMMENT ON COLUMN usher.decision.cloud_events IS 'the request came with CloudEvents headers, so the answer has them, too';
COMMENT ON COLUMN usher.decision.id_hash IS 'of the request id: finds the first answer';
COMMENT ON COLUMN usher.decision.content_hash IS 'of what was asked: the same id with another content is refused';
COMMENT ON COLUMN usher.decision.outcome IS 'held, confirmed, …, refused, invalid';
COMMENT ON COLUMN usher.decision.op IS 'operation of the request';
COMMENT ON COLUMN usher.decision.reason IS 'of refused and invalid ones';
COMMENT ON COLUMN usher.decision.request_id IS 'as sent; null where it could not be read';
COMMENT ON COLUMN usher.decision.resource IS 'as sent';
COMMENT ON COLUMN usher.decision.key IS 'of the answer''s record, where it is not the resource';
COMMENT ON COLUMN usher.decision.client IS 'the service that asked';
COMMENT ON COLUMN usher.decision.traceparent IS 'header of the request, passed on';
COMMENT ON COLUMN usher.decision.body IS 'of the answer: JSON without braces, and without what the other columns say';
COMMENT ON COLUMN usher.decision.booking_nos IS 'all bookings that it changed, where there may be several: of a cart';
CREATE VIEW usher.audit AS
 SELECT d.decided_at,
    d.resource,
    d.client,
    (a.answer ->> 'customer'::text) AS customer,
    d.op,
    d.outcome,
    (a.answer ->> 'booking'::text) AS booking,
    (a.answer ->> 'cart'::text) AS cart,
        CASE d.outcome
            WHEN 'confirmed'::text THEN ((a.answer ->> 'total'::text))::bigint
            WHEN 'exchanged'::text THEN ((a.answer ->> 'difference'::text))::bigint
            ELSE (- (( SELECT COALESCE(sum((((g.value ->> 'price'::text))::bigint * COALESCE(((g.value ->> 'quantity'::text))::bigint, (json_array_length((g.value -> 'seats'::text)))::bigint, (json_array_length((g.value -> 'tokens'::text)))::bigint))), (0)::numeric) AS "coalesce"
               FROM json_array_elements((a.answer -> 'returned'::text)) g(value)))::bigint)
        END AS amount,
    (a.answer ->> 'currency'::text) AS currency,
    (a.answer ->> 'payment'::text) AS payment,
    (a.answer -> 'units'::text) AS units,
    (a.answer -> 'returned'::text) AS returned,
    (d.source_offset IS NULL) AS unasked,
    (a.answer ->> 'cause'::text) AS cause,
    d.request_id,
    d.partition,
    d.seq
   FROM (usher.decision d
     CROSS JOIN LATERAL ( SELECT ((('{'::text || d.body) || '}'::text))::json AS answer
         OFFSET 0) a)
  WHERE ((d.outcome = ANY (ARRAY['confirmed'::text, 'cancelled'::text, 'exchanged'::text])) AND (NOT d.replayed) AND ((d.outcome <> 'exchanged'::text) OR (( SELECT count(*) AS count
           FROM usher.decision s
          WHERE ((s.partition = d.partition) AND (s.seq = (d.booking_no & (((1)::bigint << 48) - 1))) AND (s.outcome = 'confirmed'::text))) > 0) OR (( SELECT count(*) AS count
           FROM usher.decision s
          WHERE ((s.booking_no = d.booking_no) AND (s.booking_no <> (((s.partition)::bigint << 48) | s.seq)) AND (s.outcome = 'confirmed'::text) AND (s.seq < d.seq))) > 0) OR (( SELECT count(*) AS count
           FROM (usher.cart_decision c
             JOIN usher.decision s ON (((s.partition = c.partition) AND (s.seq = c.seq))))
          WHERE ((c.booking = d.booking_no) AND (s.outcome = 'confirmed'::text) AND (s.seq < d.seq))) > 0)));
ALTER TABLE usher.audit OWNER TO usher_owner;
COMMENT ON VIEW usher.audit IS 'decisions that sold units or reversed a sale; usher.audit_between has those of a time';
COMMENT ON COLUMN usher.audit.decided_at IS 'when';
COMMENT ON COLUMN usher.audit.resource IS 'what was sold';
COMMENT ON COLUMN usher.audit.client IS 'the service that asked';
COMMENT ON COLUMN usher.audit.customer IS 'who bought, or had';
COMMENT ON COLUMN usher.audit.op IS 'operation of the request';
COMMENT ON COLUMN usher.audit.outcome IS 'confirmed, exchanged, cancelled';
COMMENT ON COLUMN usher.audit.booking IS 'id of the booking';
COMMENT ON COLUMN usher.audit.cart IS 'name of the cart';
COMMENT ON COLUMN usher.audit.amount IS 'change of the takings, in minor units of the currency';
COMMENT ON COLUMN usher.audit.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.audit.payment IS 'reference that came with the confirm';
COMMENT ON COLUMN usher.audit.units IS 'JSON: what was sold';
COMMENT ON COLUMN usher.audit.returned IS 'JSON: what came back';
COMMENT ON COLUMN usher.audit.unasked IS 'nobody asked: the resource was closed';
COMMENT ON COLUMN usher.audit.cause IS 'why, where nobody asked';
COMMENT ON COLUMN usher.audit.request_id IS 'of the request';
COMMENT ON COLUMN usher.audit.partition IS 'of the decision';
COMMENT ON COLUMN usher.audit.seq IS 'of the decision';
CREATE FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) RETURNS SETOF usher.audit
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    AS $$
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
ALTER FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) IS 'usher.audit for [from, until), without reading what is earlier or later';
CREATE FUNCTION usher.booking_number(p_resource text, p_booking text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select d.booking_no
      from usher.resource as r
      join usher.decision as d
        on d.resource_no = r.no and d.first
       and d.id_hash = encode(substr(sha256(convert_to(p_booking, 'UTF8')), 1, 16), 'hex')::uuid
     where r.id = p_resource and d.request_id = p_booking
       and d.booking_no = (d.partition::bigint << 48 | d.seq)
$$;
ALTER FUNCTION usher.booking_number(p_resource text, p_booking text) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.booking_number(p_resource text, p_booking text) IS 'number of a booking by its resource and id: where history, bookings and purchase go by an index';
CREATE FUNCTION usher.end_halt(p_partition integer, p_epoch integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update usher.partition_halt
       set resumed_at = clock_timestamp(), resumed_by = session_user
     where partition = p_partition and epoch = p_epoch and resumed_at is null;
    return found;
end
$$;
ALTER FUNCTION usher.end_halt(p_partition integer, p_epoch integer) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.end_halt(p_partition integer, p_epoch integer) IS 'notes that a person ended a halt';
CREATE FUNCTION usher.expect(what text, actual bigint, wanted bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
begin
    if actual <> wanted then
        raise exception '%: % rows instead of %', what, actual, wanted using errcode = 'US003';
    end if;
    return true;
end
$$;
ALTER FUNCTION usher.expect(what text, actual bigint, wanted bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.expect(what text, actual bigint, wanted bigint) IS 'raises an error (US003) if a statement touched another number of rows';
CREATE FUNCTION usher.line_quantity(p_line json) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
    select case when json_typeof(p_line -> 3) = 'array' then json_array_length(p_line -> 3)
                else (p_line ->> 3)::bigint end
$$;
ALTER FUNCTION usher.line_quantity(p_line json) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.line_quantity(p_line json) IS 'units of a line of a booking';
CREATE FUNCTION usher.line_units(p_line json) RETURNS SETOF integer
    LANGUAGE sql IMMUTABLE ROWS 4
    AS $$
    select u.unit::integer
      from json_array_elements_text(case when json_typeof(p_line -> 3) = 'array' then p_line -> 3 else '[]' end)
               as u (unit)
    union all
    select null
      from generate_series(1, case when json_typeof(p_line -> 3) = 'number' then (p_line ->> 3)::bigint end)
$$;
ALTER FUNCTION usher.line_units(p_line json) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.line_units(p_line json) IS 'numbers of the units of a line of a booking; null for each that has none';
CREATE FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) RETURNS SETOF record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select s.partition, usher.seq_at(s.partition, p_from, s.first, s.stop),
           usher.seq_at(s.partition, p_until, s.first, s.stop)
      from (select b.partition, b.first,
                   lead(b.first) over (partition by b.partition order by b.first) as stop
              from (select p.partition, 1::bigint as first from usher.partition_state as p
                    union
                    select r.partition, r.seq from usher.clock_reset as r) as b) as s
$$;
ALTER FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) IS 'the decisions of each partition in [from, until), as ranges of seq';
CREATE FUNCTION usher.prunable(p_before timestamp with time zone) RETURNS TABLE(resource_no bigint, partition integer, resource text, ended_at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $$
    select r.no, r.partition, r.id, e.ended_at
      from usher.resource as r
     cross join lateral (
         select greatest(coalesce(r.ends_at, r.starts_at),
                         (select (max(p.night) + 1 + time '12:00') at time zone 'UTC' from usher.pool as p where p.resource_no = r.no),
                         (select d.decided_at from usher.decision as d where d.partition = r.partition and d.seq = r.rev)
                        ) as ended_at) as e
     where r.state = 'closed' and r.cancelling is null and e.ended_at < p_before
       and not exists (select from usher.booking as b
                        where b.resource_no = r.no and b.state in ('held', 'blocked')
                          and (b.state = 'held' or b.expires_at is not null))
       and not exists (select from usher.booking as b where b.resource_no = r.no and b.state = 'waiting')
$$;
ALTER FUNCTION usher.prunable(p_before timestamp with time zone) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.prunable(p_before timestamp with time zone) IS 'closed resources that were over before a time';
CREATE FUNCTION usher.prune_begin(p_no bigint, p_before timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    published bigint;
begin
    perform from usher.resource where no = p_no for update;
    select s.published_seq into published
      from usher.prunable(p_before) as r
      join usher.partition_state as s on s.partition = r.partition
     where r.resource_no = p_no
       and not exists (select from usher.decision as d
                        where d.partition = s.partition and d.seq > s.published_seq
                          and (d.resource_no = p_no or d.resource = r.resource));
    return published;
end
$$;
ALTER FUNCTION usher.prune_begin(p_no bigint, p_before timestamp with time zone) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.prune_begin(p_no bigint, p_before timestamp with time zone) IS 'begins to prune a resource; for usher_owner';
CREATE FUNCTION usher.prune_end(p_no bigint, p_partition integer, p_resource text, p_ended_at timestamp with time zone, p_decisions bigint, p_bookings bigint, p_dead_letters bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    state usher.partition_state;
begin
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition returning * into state;
    if exists (select from usher.decision where resource_no = p_no and first) then
        raise exception 'resource % was asked for meanwhile', p_resource using errcode = 'US002';
    end if;
    if state.published_seq < nullif(current_setting('usher.published', true), '')::bigint then
        raise exception 'answers about resource % are to be published again', p_resource using errcode = 'US002';
    end if;
    insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters)
    values (p_no, p_partition, p_resource, state.epoch, p_ended_at, state.published_seq, p_decisions, p_bookings, p_dead_letters);
end
$$;
ALTER FUNCTION usher.prune_end(p_no bigint, p_partition integer, p_resource text, p_ended_at timestamp with time zone, p_decisions bigint, p_bookings bigint, p_dead_letters bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.prune_end(p_no bigint, p_partition integer, p_resource text, p_ended_at timestamp with time zone, p_decisions bigint, p_bookings bigint, p_dead_letters bigint) IS 'ends it, and begins the next epoch of its partition; for usher_owner';
CREATE FUNCTION usher.reset_clock(p_partition integer, OUT was timestamp with time zone, OUT became timestamp with time zone, OUT ends_late bigint, OUT last_end timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    was := stored.now; -- null: nothing was decided yet
    became := clock_timestamp();
    if was is null or was <= became then
        became := was;
        return;
    end if;
    update usher.partition_state set now = became, epoch = epoch + 1 where partition = p_partition;
    -- A second one without a decision in between: the first knows what it was at the decision before.
    insert into usher.clock_reset (partition, seq, was, became)
    values (p_partition, stored.next_seq, was, became)
    on conflict (partition, seq) do update set became = excluded.became;
    select count(*), max(b.expires_at) into ends_late, last_end
      from usher.booking as b
     where b.partition = p_partition and b.expires_at > became
       and b.state in ('held', 'waiting', 'blocked') and b.created_at > became;
end
$$;
ALTER FUNCTION usher.reset_clock(p_partition integer, OUT was timestamp with time zone, OUT became timestamp with time zone, OUT ends_late bigint, OUT last_end timestamp with time zone) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.reset_clock(p_partition integer, OUT was timestamp with time zone, OUT became timestamp with time zone, OUT ends_late bigint, OUT last_end timestamp with time zone) IS 'sets the time of a partition back to the server''s clock; for usher_owner';
CREATE FUNCTION usher.resume(p_partition integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    if not usher.end_halt(p_partition, stored.epoch) then
        return false;
    end if;
    update usher.partition_state set epoch = epoch + 1 where partition = p_partition;
    return true;
end
$$;
ALTER FUNCTION usher.resume(p_partition integer) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.resume(p_partition integer) IS 'has a halted partition try again; for usher_owner';
CREATE TABLE usher.seat_row (
    partition integer NOT NULL,
    chart text NOT NULL COLLATE pg_catalog."C",
    section text NOT NULL,
    start integer NOT NULL,
    seats integer NOT NULL,
    label text NOT NULL,
    first integer NOT NULL,
    names text[]
);
ALTER TABLE usher.seat_row OWNER TO usher_owner;
COMMENT ON TABLE usher.seat_row IS 'the rows of each chart, from which seats get their names; made from it by a trigger';
COMMENT ON COLUMN usher.seat_row.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.seat_row.chart IS 'the chart''s hash';
COMMENT ON COLUMN usher.seat_row.section IS 'name of the section, which is a pool';
COMMENT ON COLUMN usher.seat_row.start IS 'unit of its first seat: units count the seats of a section row by row';
COMMENT ON COLUMN usher.seat_row.seats IS 'how many seats it has';
COMMENT ON COLUMN usher.seat_row.label IS 'name of the row: seats are called LABEL-NUMBER';
COMMENT ON COLUMN usher.seat_row.first IS 'number of its first seat';
COMMENT ON COLUMN usher.seat_row.names IS 'of its seats, where they have names of their own; else null';
CREATE FUNCTION usher.rows_of_chart(p_partition integer, p_hash text, p_content text) RETURNS SETOF usher.seat_row
    LANGUAGE sql STABLE
    AS $$
    select p_partition, p_hash, x.section,
           (sum(x.seats) over (partition by x.section_place order by x.place) - x.seats)::integer,
           x.seats, x.line ->> 'row', coalesce((x.line ->> 'first')::integer, 1),
           case when json_typeof(x.line -> 'names') = 'array'
                then array(select json_array_elements_text(x.line -> 'names')) end
      from (select s.section ->> 'section' as section, s.place as section_place, r.line, r.place,
                   (r.line ->> 'seats')::integer as seats
              from json_array_elements(p_content::json -> 'sections') with ordinality as s (section, place),
                   json_array_elements(s.section -> 'rows') with ordinality as r (line, place)
             where json_typeof(s.section -> 'rows') = 'array') as x
     where x.seats > 0
$$;
ALTER FUNCTION usher.rows_of_chart(p_partition integer, p_hash text, p_content text) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.rows_of_chart(p_partition integer, p_hash text, p_content text) IS 'the rows of seats of a chart';
CREATE FUNCTION usher.seq_at(p_partition integer, p_at timestamp with time zone, p_first bigint DEFAULT 1, p_end bigint DEFAULT NULL::bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
ALTER FUNCTION usher.seq_at(p_partition integer, p_at timestamp with time zone, p_first bigint, p_end bigint) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.seq_at(p_partition integer, p_at timestamp with time zone, p_first bigint, p_end bigint) IS 'the first decision of a partition at that time or later';
CREATE FUNCTION usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    stored usher.partition_state;
begin
    select * into stored from usher.partition_state where partition = p_partition for update;
    if not found or stored.next_offset is distinct from p_from then
        raise exception 'partition % stands at offset % now', p_partition, stored.next_offset using errcode = 'US002';
    end if;
    if p_to <= coalesce(p_from, -1) then
        raise exception 'partition % stands at offset % already', p_partition, p_from using errcode = 'US003';
    end if;
    update usher.partition_state
       set next_offset = p_to, fingerprint_offset = null, fingerprint = null, epoch = epoch + 1
     where partition = p_partition;
    insert into usher.partition_skip (partition, epoch, from_offset, to_offset, records, next_seq, reason)
    values (p_partition, stored.epoch + 1, p_from, p_to, p_records, stored.next_seq, p_reason);
    return usher.end_halt(p_partition, stored.epoch);
end
$$;
ALTER FUNCTION usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text) OWNER TO usher_owner;
COMMENT ON FUNCTION usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text) IS 'passes over requests that cannot be decided; for usher_owner';
CREATE TABLE usher.allocation (
    pool bigint NOT NULL,
    booking bigint NOT NULL,
    unit integer NOT NULL,
    CONSTRAINT allocation_unit_check CHECK ((unit >= 0))
)
WITH (autovacuum_vacuum_scale_factor='0.02', vacuum_truncate=off);
ALTER TABLE usher.allocation OWNER TO usher_owner;
COMMENT ON TABLE usher.allocation IS 'the seats, and rooms of a night, that are held, sold or blocked; the primary key forbids a second owner';
COMMENT ON COLUMN usher.allocation.pool IS 'number of the pool';
COMMENT ON COLUMN usher.allocation.booking IS 'number of the booking';
COMMENT ON COLUMN usher.allocation.unit IS 'number of the seat or room within the pool';
CREATE TABLE usher.booking (
    no bigint NOT NULL,
    partition integer NOT NULL,
    resource_no bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    total bigint NOT NULL,
    state text NOT NULL,
    op text NOT NULL,
    request_id text NOT NULL,
    client text,
    customer text COLLATE pg_catalog."C",
    cart text,
    payment text,
    note text,
    lines text NOT NULL,
    meta text,
    ttl_s integer,
    wants text,
    sold_at timestamp with time zone,
    CONSTRAINT booking_check CHECK (((no >> 48) = partition)),
    CONSTRAINT booking_end_check CHECK (((expires_at IS NOT NULL) OR (state <> ALL (ARRAY['held'::text, 'waiting'::text])))),
    CONSTRAINT booking_state_check CHECK ((state = ANY (ARRAY['held'::text, 'confirmed'::text, 'blocked'::text, 'waiting'::text, 'released'::text, 'expired'::text, 'cancelled'::text, 'left'::text]))),
    CONSTRAINT booking_total_check CHECK ((total >= 0))
);
ALTER TABLE usher.booking OWNER TO usher_owner;
COMMENT ON TABLE usher.booking IS 'a hold, sale, block or waiting party: what one customer has of one resource';
COMMENT ON COLUMN usher.booking.no IS 'its number: partition << 48 | seq of the decision that made it';
COMMENT ON COLUMN usher.booking.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.booking.resource_no IS 'the resource';
COMMENT ON COLUMN usher.booking.created_at IS 'when it was made; of one from the waiting list, when it was served';
COMMENT ON COLUMN usher.booking.expires_at IS 'when it ends by itself: a hold, a waiting party, a block with a time';
COMMENT ON COLUMN usher.booking.total IS 'price of its units, in minor units of the currency';
COMMENT ON COLUMN usher.booking.state IS 'held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left';
COMMENT ON COLUMN usher.booking.op IS 'the operation that made it: hold, book, block';
COMMENT ON COLUMN usher.booking.request_id IS 'of the request that made it: the booking''s id';
COMMENT ON COLUMN usher.booking.client IS 'the service that sent it';
COMMENT ON COLUMN usher.booking.customer IS 'its present owner; null: the house';
COMMENT ON COLUMN usher.booking.cart IS 'name of the cart that it is in';
COMMENT ON COLUMN usher.booking.payment IS 'reference that came with the confirm';
COMMENT ON COLUMN usher.booking.note IS 'why it was blocked or cancelled';
COMMENT ON COLUMN usher.booking.lines IS 'JSON [[item, pool index, price, units, layout, rate], …]; units: numbers, or a quantity';
COMMENT ON COLUMN usher.booking.meta IS 'JSON that came with the request';
COMMENT ON COLUMN usher.booking.ttl_s IS 'its hold time, in seconds, for when its cart is used';
COMMENT ON COLUMN usher.booking.wants IS 'JSON of what a waiting party asked for';
COMMENT ON COLUMN usher.booking.sold_at IS 'when it was confirmed, or booked at once; null: it was not, or by a worker that did not say so';
CREATE TABLE usher.pool (
    no bigint NOT NULL,
    resource_no bigint NOT NULL,
    index integer NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    night date,
    title text,
    capacity integer NOT NULL,
    price bigint NOT NULL,
    overbook integer DEFAULT 0 NOT NULL,
    rates text,
    properties text,
    held integer DEFAULT 0 NOT NULL,
    sold integer DEFAULT 0 NOT NULL,
    blocked integer DEFAULT 0 NOT NULL,
    CONSTRAINT pool_capacity_check CHECK ((capacity >= 0)),
    CONSTRAINT pool_check CHECK (((night IS NOT NULL) = (kind = 'room'::text))),
    CONSTRAINT pool_index_check CHECK ((index >= 0)),
    CONSTRAINT pool_kind_check CHECK ((kind = ANY (ARRAY['seats'::text, 'section'::text, 'room'::text, 'product'::text]))),
    CONSTRAINT pool_overbook_check CHECK ((overbook >= 0)),
    CONSTRAINT pool_price_check CHECK ((price >= 0)),
    CONSTRAINT pool_taken_check CHECK (((held >= 0) AND (sold >= 0) AND (blocked >= 0) AND ((((held)::bigint + sold) + blocked) <=
CASE
    WHEN (kind = ANY (ARRAY['section'::text, 'product'::text])) THEN capacity
    ELSE 0
END)))
)
WITH (fillfactor='50');
ALTER TABLE usher.pool OWNER TO usher_owner;
COMMENT ON TABLE usher.pool IS 'units of a resource with one price: a section, a room type on one night, a product';
COMMENT ON COLUMN usher.pool.no IS 'its number: partition << 48 | number';
COMMENT ON COLUMN usher.pool.resource_no IS 'the resource';
COMMENT ON COLUMN usher.pool.index IS 'its place among the pools of the resource, by which lines of bookings name it';
COMMENT ON COLUMN usher.pool.kind IS 'seats (have numbers), section (by capacity), room (of one night), product';
COMMENT ON COLUMN usher.pool.name IS 'of the section, room type, or product';
COMMENT ON COLUMN usher.pool.night IS 'of a room: the date on which it begins';
COMMENT ON COLUMN usher.pool.title IS 'for people';
COMMENT ON COLUMN usher.pool.capacity IS 'how many units there are, those of overbook included';
COMMENT ON COLUMN usher.pool.price IS 'of a unit, in minor units of the currency: of the rate that is meant where none is named';
COMMENT ON COLUMN usher.pool.overbook IS 'how many of the capacity are more than there are';
COMMENT ON COLUMN usher.pool.rates IS 'JSON [["adult",4500],…] in their order; null: `price` is the only one';
COMMENT ON COLUMN usher.pool.properties IS 'JSON object, as defined';
COMMENT ON COLUMN usher.pool.held IS 'units that are held, of sections by capacity and products; the others have allocations';
COMMENT ON COLUMN usher.pool.sold IS 'units that are sold, likewise';
COMMENT ON COLUMN usher.pool.blocked IS 'units that are blocked, likewise';
CREATE VIEW usher.pool_units AS
 SELECT p.no,
    p.resource_no,
    p.kind,
    p.name,
    p.night,
    p.capacity,
    p.overbook,
    p.price,
    p.rates,
    t.held,
    t.sold,
    t.blocked,
    p.index
   FROM (usher.pool p
     CROSS JOIN LATERAL ( SELECT (p.held)::bigint AS held,
            (p.sold)::bigint AS sold,
            (p.blocked)::bigint AS blocked
          WHERE (p.kind = ANY (ARRAY['section'::text, 'product'::text]))
        UNION ALL
         SELECT count(*) FILTER (WHERE (b.state = 'held'::text)) AS count,
            count(*) FILTER (WHERE (b.state = 'confirmed'::text)) AS count,
            count(*) FILTER (WHERE (b.state = 'blocked'::text)) AS count
           FROM (usher.allocation a
             JOIN usher.booking b ON ((b.no = a.booking)))
          WHERE (a.pool = p.no)
         HAVING (p.kind <> ALL (ARRAY['section'::text, 'product'::text]))) t)
  WHERE (p.capacity > 0);
ALTER TABLE usher.pool_units OWNER TO usher_owner;
COMMENT ON VIEW usher.pool_units IS 'what of each pool is taken; for other views';
COMMENT ON COLUMN usher.pool_units.no IS 'number of the pool';
COMMENT ON COLUMN usher.pool_units.resource_no IS 'number of its resource';
COMMENT ON COLUMN usher.pool_units.kind IS 'seats, section, room, product';
COMMENT ON COLUMN usher.pool_units.name IS 'section, room type, or product';
COMMENT ON COLUMN usher.pool_units.night IS 'of a room';
COMMENT ON COLUMN usher.pool_units.capacity IS 'units, those of overbook included';
COMMENT ON COLUMN usher.pool_units.overbook IS 'how many of the capacity are more than there are';
COMMENT ON COLUMN usher.pool_units.price IS 'of a unit, in minor units of the currency';
COMMENT ON COLUMN usher.pool_units.rates IS 'JSON [["adult",4500],…] in their order';
COMMENT ON COLUMN usher.pool_units.held IS 'units that are held';
COMMENT ON COLUMN usher.pool_units.sold IS 'units that are sold';
COMMENT ON COLUMN usher.pool_units.blocked IS 'units that are off sale';
COMMENT ON COLUMN usher.pool_units.index IS 'place of the pool among those of its resource';
CREATE TABLE usher.resource (
    no bigint NOT NULL,
    partition integer NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    name text,
    venue text,
    description text,
    timezone text,
    currency text,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    hold_ttl_s bigint,
    rev bigint NOT NULL,
    chart text COLLATE pg_catalog."C",
    opens_at timestamp with time zone,
    closes_at timestamp with time zone,
    strategy text,
    terms text,
    cancelling text,
    unserved boolean DEFAULT false NOT NULL,
    CONSTRAINT resource_check CHECK (((no >> 48) = partition)),
    CONSTRAINT resource_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'open'::text, 'closed'::text]))),
    CONSTRAINT resource_strategy_check CHECK ((strategy = ANY (ARRAY['best'::text, 'first'::text, 'random'::text])))
)
WITH (fillfactor='50');
ALTER TABLE usher.resource OWNER TO usher_owner;
COMMENT ON TABLE usher.resource IS 'what is sold under one serial order: a show, a hotel, a shop';
COMMENT ON COLUMN usher.resource.no IS 'its number: partition << 48 | seq of the decision that made it';
COMMENT ON COLUMN usher.resource.partition IS 'number of the Kafka partition of its requests';
COMMENT ON COLUMN usher.resource.id IS 'its name, the key of its requests';
COMMENT ON COLUMN usher.resource.state IS 'draft, open, closed';
COMMENT ON COLUMN usher.resource.name IS 'for people';
COMMENT ON COLUMN usher.resource.venue IS 'for people';
COMMENT ON COLUMN usher.resource.description IS 'for people';
COMMENT ON COLUMN usher.resource.timezone IS 'IANA name: where its nights and times are';
COMMENT ON COLUMN usher.resource.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.resource.starts_at IS 'of a show';
COMMENT ON COLUMN usher.resource.ends_at IS 'of a show';
COMMENT ON COLUMN usher.resource.hold_ttl_s IS 'how long a hold lasts, in seconds; null: as the worker is configured';
COMMENT ON COLUMN usher.resource.rev IS 'seq of the last decision that changed it';
COMMENT ON COLUMN usher.resource.chart IS 'hash of its layout; null: no seats';
COMMENT ON COLUMN usher.resource.opens_at IS 'sold from here on; null: at once';
COMMENT ON COLUMN usher.resource.closes_at IS '… and before this; null: as long as it is open';
COMMENT ON COLUMN usher.resource.strategy IS 'which seats are given first: best, first, random; null: best';
COMMENT ON COLUMN usher.resource.terms IS 'JSON {"limits":{…},"quotas":[…]}; null: none';
COMMENT ON COLUMN usher.resource.cancelling IS 'all of its bookings are being cancelled: the note of the close, or an empty text; null: they are not';
COMMENT ON COLUMN usher.resource.unserved IS 'a party on its waiting list may fit now, and has not been looked at';
CREATE VIEW usher.availability AS
 SELECT r.id AS resource,
    r.name,
    r.state,
    p.kind,
    p.name AS pool,
    p.night,
    p.free,
    p.held,
    p.sold,
    p.blocked,
    p.total,
    p.overbook,
    p.price,
    p.rates,
    r.currency,
    p.index AS place
   FROM (usher.resource r
     CROSS JOIN LATERAL ( WITH member AS (
                 SELECT q.place,
                    ((q.quota ->> 'limit'::text))::bigint AS most,
                    p_2.no,
                    COALESCE(p_2.night, 'infinity'::date) AS night,
                    (p_2.held + p_2.sold) AS used
                   FROM ((json_array_elements(((r.terms)::json -> 'quotas'::text)) WITH ORDINALITY q(quota, place)
                     CROSS JOIN LATERAL json_array_elements_text((q.quota -> 'pools'::text)) n(name))
                     JOIN usher.pool_units p_2 ON (((p_2.resource_no = r.no) AND (p_2.name = n.name))))
                ), used AS (
                 SELECT member.place,
                    member.night,
                    min(member.most) AS most,
                    sum(member.used) AS used
                   FROM member
                  GROUP BY member.place, member.night
                ), rest AS (
                 SELECT used.place,
                    used.night,
                    (((used.most)::numeric - used.used) - COALESCE(
                        CASE
                            WHEN isfinite(used.night) THEN max(used.used) FILTER (WHERE (NOT isfinite(used.night))) OVER quota
                            ELSE max(used.used) FILTER (WHERE isfinite(used.night)) OVER quota
                        END, (0)::numeric)) AS rest
                   FROM used
                  WINDOW quota AS (PARTITION BY used.place)
                ), offered AS (
                 SELECT m.no,
                    min(s.rest) AS rest
                   FROM (member m
                     JOIN rest s ON (((s.place = m.place) AND (s.night = m.night))))
                  GROUP BY m.no
                )
         SELECT p_1.kind,
            p_1.name,
            p_1.night,
            (GREATEST(LEAST(((((p_1.capacity - p_1.held) - p_1.sold) - p_1.blocked))::numeric, o.rest), (0)::numeric))::bigint AS free,
            p_1.held,
            p_1.sold,
            p_1.blocked,
            (p_1.capacity)::bigint AS total,
            p_1.overbook,
            p_1.price,
            (p_1.rates)::json AS rates,
            p_1.index
           FROM (usher.pool_units p_1
             LEFT JOIN offered o ON ((o.no = p_1.no)))
          WHERE (p_1.resource_no = r.no)) p);
ALTER TABLE usher.availability OWNER TO usher_owner;
COMMENT ON VIEW usher.availability IS 'free, held, sold and blocked units of each pool; by resource';
COMMENT ON COLUMN usher.availability.resource IS 'whose pool it is';
COMMENT ON COLUMN usher.availability.name IS 'of the resource';
COMMENT ON COLUMN usher.availability.state IS 'of the resource: draft, open, closed';
COMMENT ON COLUMN usher.availability.kind IS 'seats, section, room, product';
COMMENT ON COLUMN usher.availability.pool IS 'section, room type, or product';
COMMENT ON COLUMN usher.availability.night IS 'of a room';
COMMENT ON COLUMN usher.availability.free IS 'units that can be sold: those that nobody has, as many as the quotas leave';
COMMENT ON COLUMN usher.availability.held IS 'units that are held';
COMMENT ON COLUMN usher.availability.sold IS 'units that are sold';
COMMENT ON COLUMN usher.availability.blocked IS 'units that are off sale';
COMMENT ON COLUMN usher.availability.total IS 'all of them, overbook included';
COMMENT ON COLUMN usher.availability.overbook IS 'how many of the total are more than there are';
COMMENT ON COLUMN usher.availability.price IS 'of a unit, in minor units of the currency';
COMMENT ON COLUMN usher.availability.rates IS 'JSON [["adult",4500],…] in their order';
COMMENT ON COLUMN usher.availability.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.availability.place IS 'of the pool among those of the resource, in the order in which they were defined; each night of a room has its own';
CREATE VIEW usher.booking_line AS
 SELECT b.no AS booking,
    l.place,
    ((l.line ->> 1))::integer AS pool_index,
    ((l.line ->> 2))::bigint AS price,
        CASE
            WHEN (json_typeof((l.line -> 3)) = 'array'::text) THEN (json_array_length((l.line -> 3)))::bigint
            ELSE ((l.line ->> 3))::bigint
        END AS quantity,
        CASE
            WHEN (json_typeof((l.line -> 3)) = 'array'::text) THEN (l.line -> 3)
            ELSE '[]'::json
        END AS units,
    (l.line ->> 5) AS rate
   FROM (usher.booking b
     CROSS JOIN LATERAL json_array_elements((b.lines)::json) WITH ORDINALITY l(line, place));
ALTER TABLE usher.booking_line OWNER TO usher_owner;
COMMENT ON VIEW usher.booking_line IS 'the lines of bookings; for other views';
COMMENT ON COLUMN usher.booking_line.booking IS 'number of the booking';
COMMENT ON COLUMN usher.booking_line.place IS 'of the line, from 1';
COMMENT ON COLUMN usher.booking_line.pool_index IS 'the pool, as numbered within its resource';
COMMENT ON COLUMN usher.booking_line.price IS 'of a unit, in minor units';
COMMENT ON COLUMN usher.booking_line.quantity IS 'units';
COMMENT ON COLUMN usher.booking_line.units IS 'JSON array of their numbers; empty where they are only counted';
COMMENT ON COLUMN usher.booking_line.rate IS 'name of the rate; null: the only one';
CREATE VIEW usher.sale_time AS
 SELECT d.booking_no AS booking,
    d.decided_at AS sold_at
   FROM usher.decision d
  WHERE ((d.booking_no IS NOT NULL) AND (d.booking_no <> (((d.partition)::bigint << 48) | d.seq)) AND (d.outcome = 'confirmed'::text) AND (NOT d.replayed) AND (d.booking_nos IS NULL))
UNION ALL
 SELECT c.booking,
    d.decided_at AS sold_at
   FROM (usher.cart_decision c
     JOIN usher.decision d ON (((d.partition = c.partition) AND (d.seq = c.seq))))
  WHERE ((d.outcome = 'confirmed'::text) AND (NOT d.replayed));
ALTER TABLE usher.sale_time OWNER TO usher_owner;
COMMENT ON VIEW usher.sale_time IS 'when what was held was sold; for other views';
COMMENT ON COLUMN usher.sale_time.booking IS 'number of the booking';
COMMENT ON COLUMN usher.sale_time.sold_at IS 'when it was confirmed';
CREATE VIEW usher.bookings AS
 SELECT r.id AS resource,
    b.request_id AS booking,
    b.customer,
    b.state,
    (( SELECT sum(l.quantity) AS sum
           FROM usher.booking_line l
          WHERE (l.booking = b.no)))::bigint AS units,
    b.total,
    r.currency,
    b.created_at,
    COALESCE(b.sold_at,
        CASE b.op
            WHEN 'book'::text THEN b.created_at
            ELSE ( SELECT t.sold_at
               FROM usher.sale_time t
              WHERE (t.booking = b.no)
             LIMIT 1)
        END) AS sold_at,
    b.expires_at AS ends_at,
    b.cart,
    b.client,
    b.payment,
    b.note,
    (b.meta)::json AS meta,
    ( SELECT json_agg(json_strip_nulls(json_build_object(
                CASE p.kind
                    WHEN 'room'::text THEN 'room'::text
                    WHEN 'product'::text THEN 'product'::text
                    ELSE 'section'::text
                END, p.name, 'night', p.night, 'seats',
                CASE
                    WHEN (p.kind = 'seats'::text) THEN ( SELECT json_agg(( SELECT COALESCE(s.names[((u.n - s.start) + 1)], ((s.label || '-'::text) || ((s.first + u.n) - s.start))) AS "coalesce"
                               FROM usher.seat_row s
                              WHERE ((s.partition = r.partition) AND (s.chart = r.chart) AND (s.section = p.name) AND (s.start <= u.n))
                              ORDER BY s.start DESC
                             LIMIT 1) ORDER BY u.place) AS json_agg
                       FROM ( SELECT (u_1.n)::integer AS n,
                                u_1.place
                               FROM json_array_elements_text(l.units) WITH ORDINALITY u_1(n, place)) u)
                    ELSE NULL::json
                END, 'tokens',
                CASE
                    WHEN (p.kind = 'room'::text) THEN l.units
                    ELSE NULL::json
                END, 'quantity', l.quantity, 'price', l.price, 'rate', l.rate)) ORDER BY l.place) AS json_agg
           FROM (usher.booking_line l
             CROSS JOIN LATERAL ( SELECT pool.no,
                    pool.resource_no,
                    pool.index,
                    pool.kind,
                    pool.name,
                    pool.night,
                    pool.title,
                    pool.capacity,
                    pool.price,
                    pool.overbook,
                    pool.rates,
                    pool.properties,
                    pool.held,
                    pool.sold,
                    pool.blocked
                   FROM usher.pool
                  WHERE ((pool.resource_no = b.resource_no) AND (pool.index = l.pool_index))
                 OFFSET 0) p)
          WHERE (l.booking = b.no)) AS items,
    b.op,
    b.partition,
    b.no AS booking_number
   FROM ((usher.booking b
     JOIN usher.decision made ON (((made.partition = b.partition) AND (made.seq = (b.no & (((1)::bigint << 48) - 1))) AND ((((made.partition)::bigint << 48) | made.seq) = b.no) AND made.first)))
     JOIN usher.resource r ON (((r.no = b.resource_no) AND (r.no = made.resource_no))))
  WHERE ((b.state <> 'held'::text) OR ((b.state = 'held'::text) AND (b.expires_at IS NOT NULL)));
ALTER TABLE usher.bookings OWNER TO usher_owner;
COMMENT ON VIEW usher.bookings IS 'what became of each booking; by customer, booking_number or resource';
COMMENT ON COLUMN usher.bookings.resource IS 'what it is for';
COMMENT ON COLUMN usher.bookings.booking IS 'its id: the id of the request that made it';
COMMENT ON COLUMN usher.bookings.customer IS 'its present owner; null: the house';
COMMENT ON COLUMN usher.bookings.state IS 'held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left';
COMMENT ON COLUMN usher.bookings.units IS 'how many it has, or had when it was over';
COMMENT ON COLUMN usher.bookings.total IS 'price of its units, in minor units of the currency';
COMMENT ON COLUMN usher.bookings.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.bookings.created_at IS 'when it was made; of one from the waiting list, when it was served';
COMMENT ON COLUMN usher.bookings.sold_at IS 'when it was confirmed';
COMMENT ON COLUMN usher.bookings.ends_at IS 'when it ends by itself: a hold, a waiting party, a block with a time';
COMMENT ON COLUMN usher.bookings.cart IS 'name of the cart that it is in';
COMMENT ON COLUMN usher.bookings.client IS 'the service that sent it';
COMMENT ON COLUMN usher.bookings.payment IS 'reference that came with the confirm';
COMMENT ON COLUMN usher.bookings.note IS 'why it was blocked or cancelled';
COMMENT ON COLUMN usher.bookings.meta IS 'JSON that came with the request';
COMMENT ON COLUMN usher.bookings.items IS 'JSON: its units, as answers have them';
COMMENT ON COLUMN usher.bookings.op IS 'the operation that made it: hold, book, block';
COMMENT ON COLUMN usher.bookings.partition IS 'of its resource';
COMMENT ON COLUMN usher.bookings.booking_number IS 'as usher.booking_number says';
CREATE VIEW usher.blocks AS
 SELECT bookings.resource,
    bookings.booking,
    bookings.note,
    bookings.units,
    bookings.created_at AS blocked_since,
    bookings.ends_at AS returns_at,
    bookings.client,
    bookings.items,
    bookings.booking_number
   FROM usher.bookings
  WHERE (bookings.state = 'blocked'::text);
ALTER TABLE usher.blocks OWNER TO usher_owner;
COMMENT ON VIEW usher.blocks IS 'what the house has taken off sale; by resource';
COMMENT ON COLUMN usher.blocks.resource IS 'of what';
COMMENT ON COLUMN usher.blocks.booking IS 'id of the block: unblock names it';
COMMENT ON COLUMN usher.blocks.note IS 'why';
COMMENT ON COLUMN usher.blocks.units IS 'how many are left in it';
COMMENT ON COLUMN usher.blocks.blocked_since IS 'when it was made';
COMMENT ON COLUMN usher.blocks.returns_at IS 'when its units return by themselves; null: never';
COMMENT ON COLUMN usher.blocks.client IS 'the service that asked';
COMMENT ON COLUMN usher.blocks.items IS 'JSON: its units, as answers have them';
COMMENT ON COLUMN usher.blocks.booking_number IS 'as usher.booking_number says';
CREATE VIEW usher.catalogue AS
 SELECT r.id AS resource,
    ( SELECT
                CASE
                    WHEN (count(DISTINCT k.kind) <> 1) THEN 'mixed'::text
                    WHEN bool_or(k.seated) THEN 'seats'::text
                    ELSE min(k.kind)
                END AS min
           FROM ( SELECT
                        CASE p.kind
                            WHEN 'room'::text THEN 'rooms'::text
                            WHEN 'product'::text THEN 'stock'::text
                            ELSE 'standing'::text
                        END AS kind,
                    (p.kind = 'seats'::text) AS seated
                   FROM usher.pool p
                  WHERE ((p.resource_no = r.no) AND (p.capacity > 0))) k) AS kind,
    r.name,
    r.venue,
    r.state,
    r.starts_at,
    r.ends_at,
    r.opens_at,
    r.closes_at,
    r.timezone,
    r.currency,
    ( SELECT sum(p.capacity) AS sum
           FROM usher.pool p
          WHERE (p.resource_no = r.no)) AS total,
    (( SELECT COALESCE(sum(p.held), (0)::bigint) AS "coalesce"
           FROM usher.pool p
          WHERE (p.resource_no = r.no)) + (( SELECT COALESCE(sum(l.quantity), (0)::numeric) AS "coalesce"
           FROM ((usher.booking b
             JOIN usher.booking_line l ON ((l.booking = b.no)))
             CROSS JOIN LATERAL ( SELECT
                   FROM usher.pool
                  WHERE ((pool.resource_no = r.no) AND (pool.index = l.pool_index) AND (pool.kind = ANY (ARRAY['seats'::text, 'room'::text])))
                 OFFSET 0) p)
          WHERE ((b.resource_no = r.no) AND (b.state = 'held'::text))))::bigint) AS held,
    ((( SELECT COALESCE(sum(
                CASE
                    WHEN (p.kind = ANY (ARRAY['section'::text, 'product'::text])) THEN (p.sold)::bigint
                    ELSE ( SELECT count(*) AS count
                       FROM usher.allocation a
                      WHERE (a.pool = p.no))
                END), (0)::numeric) AS "coalesce"
           FROM usher.pool p
          WHERE (p.resource_no = r.no)))::bigint - (( SELECT COALESCE(sum(l.quantity), (0)::numeric) AS "coalesce"
           FROM ((usher.booking b
             JOIN usher.booking_line l ON ((l.booking = b.no)))
             CROSS JOIN LATERAL ( SELECT
                   FROM usher.pool
                  WHERE ((pool.resource_no = r.no) AND (pool.index = l.pool_index) AND (pool.kind = ANY (ARRAY['seats'::text, 'room'::text])))
                 OFFSET 0) p)
          WHERE ((b.resource_no = r.no) AND (b.state = ANY (ARRAY['held'::text, 'blocked'::text])))))::bigint) AS sold,
    (( SELECT COALESCE(sum(p.blocked), (0)::bigint) AS "coalesce"
           FROM usher.pool p
          WHERE (p.resource_no = r.no)) + (( SELECT COALESCE(sum(l.quantity), (0)::numeric) AS "coalesce"
           FROM ((usher.booking b
             JOIN usher.booking_line l ON ((l.booking = b.no)))
             CROSS JOIN LATERAL ( SELECT
                   FROM usher.pool
                  WHERE ((pool.resource_no = r.no) AND (pool.index = l.pool_index) AND (pool.kind = ANY (ARRAY['seats'::text, 'room'::text])))
                 OFFSET 0) p)
          WHERE ((b.resource_no = r.no) AND (b.state = 'blocked'::text))))::bigint) AS blocked,
    ( SELECT count(*) AS count
           FROM usher.booking b
          WHERE ((b.resource_no = r.no) AND (b.state = 'waiting'::text))) AS waiting,
    (( SELECT COALESCE(sum(b.total), (0)::numeric) AS "coalesce"
           FROM (usher.decision made
             JOIN usher.booking b ON (((b.no = (((made.partition)::bigint << 48) | made.seq)) AND (b.state = 'confirmed'::text))))
          WHERE ((made.resource_no = r.no) AND made.first)))::bigint AS takings,
    r.description,
    r.hold_ttl_s,
    COALESCE(r.strategy, 'best'::text) AS strategy,
    (r.terms)::json AS terms,
    r.chart,
    r.rev,
    r.partition
   FROM usher.resource r;
ALTER TABLE usher.catalogue OWNER TO usher_owner;
COMMENT ON VIEW usher.catalogue IS 'all resources; numbers are counted where they are selected';
COMMENT ON COLUMN usher.catalogue.resource IS 'its id';
COMMENT ON COLUMN usher.catalogue.kind IS 'seats, standing, rooms, stock, mixed';
COMMENT ON COLUMN usher.catalogue.name IS 'for people';
COMMENT ON COLUMN usher.catalogue.venue IS 'for people';
COMMENT ON COLUMN usher.catalogue.state IS 'draft, open, closed';
COMMENT ON COLUMN usher.catalogue.starts_at IS 'of a show';
COMMENT ON COLUMN usher.catalogue.ends_at IS 'of a show';
COMMENT ON COLUMN usher.catalogue.opens_at IS 'sold from here on; null: at once';
COMMENT ON COLUMN usher.catalogue.closes_at IS '… and before this; null: as long as it is open';
COMMENT ON COLUMN usher.catalogue.timezone IS 'IANA name';
COMMENT ON COLUMN usher.catalogue.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.catalogue.total IS 'units of all its pools, overbook included';
COMMENT ON COLUMN usher.catalogue.held IS 'units that are held';
COMMENT ON COLUMN usher.catalogue.sold IS 'units that are sold';
COMMENT ON COLUMN usher.catalogue.blocked IS 'units that are off sale';
COMMENT ON COLUMN usher.catalogue.waiting IS 'parties on its waiting list';
COMMENT ON COLUMN usher.catalogue.takings IS 'price of all that is sold, in minor units of the currency';
COMMENT ON COLUMN usher.catalogue.description IS 'for people';
COMMENT ON COLUMN usher.catalogue.hold_ttl_s IS 'how long a hold lasts, in seconds; null: as the worker is configured';
COMMENT ON COLUMN usher.catalogue.strategy IS 'which seats are given first: best, first, random';
COMMENT ON COLUMN usher.catalogue.terms IS 'JSON {"limits":{…},"quotas":[…]}; null: none';
COMMENT ON COLUMN usher.catalogue.chart IS 'name of its layout; null: no seats';
COMMENT ON COLUMN usher.catalogue.rev IS 'seq of the last decision that changed it';
COMMENT ON COLUMN usher.catalogue.partition IS 'of its requests';
CREATE TABLE usher.chart (
    partition integer NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL
);
ALTER TABLE usher.chart OWNER TO usher_owner;
COMMENT ON TABLE usher.chart IS 'layouts of halls, each once per partition, shared by shows';
COMMENT ON COLUMN usher.chart.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.chart.hash IS 'sha256:… of the content: its name';
COMMENT ON COLUMN usher.chart.content IS 'JSON {"sections":[{"section":…,"rows":[…]}]}, canonical';
CREATE TABLE usher.clock_reset (
    partition integer NOT NULL,
    seq bigint NOT NULL,
    was timestamp with time zone NOT NULL,
    became timestamp with time zone NOT NULL,
    reset_by text DEFAULT SESSION_USER NOT NULL
);
ALTER TABLE usher.clock_reset OWNER TO usher_owner;
COMMENT ON TABLE usher.clock_reset IS 'times at which the clock of a partition was set back: only there decisions are not in the order of their times';
COMMENT ON COLUMN usher.clock_reset.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.clock_reset.seq IS 'the first decision after it';
COMMENT ON COLUMN usher.clock_reset.was IS 'time of the last decision before';
COMMENT ON COLUMN usher.clock_reset.became IS 'the server''s clock';
COMMENT ON COLUMN usher.clock_reset.reset_by IS 'the login that did it';
CREATE TABLE usher.dead_letter (
    partition integer NOT NULL,
    seq bigint NOT NULL,
    source_offset bigint NOT NULL,
    truncated boolean NOT NULL,
    reason text NOT NULL,
    key bytea,
    value bytea
);
ALTER TABLE usher.dead_letter OWNER TO usher_owner;
COMMENT ON TABLE usher.dead_letter IS 'records that could not be processed, with their bytes';
COMMENT ON COLUMN usher.dead_letter.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.dead_letter.seq IS 'of the decision that says so';
COMMENT ON COLUMN usher.dead_letter.source_offset IS 'of the record in the topic of requests';
COMMENT ON COLUMN usher.dead_letter.truncated IS 'the record was larger than what is kept of it';
COMMENT ON COLUMN usher.dead_letter.reason IS 'why';
COMMENT ON COLUMN usher.dead_letter.key IS 'of the record';
COMMENT ON COLUMN usher.dead_letter.value IS 'of the record';
CREATE VIEW usher.dead_letters AS
 SELECT l.partition,
    l.seq,
    l.source_offset,
    d.decided_at,
    l.reason,
    (a.answer ->> 'detail'::text) AS detail,
    d.resource,
    d.request_id,
    d.client,
    octet_length(l.value) AS size,
    l.truncated,
    l.key,
    l.value
   FROM ((usher.dead_letter l
     JOIN usher.decision d ON (((d.partition = l.partition) AND (d.seq = l.seq))))
     CROSS JOIN LATERAL ( SELECT ((('{'::text || d.body) || '}'::text))::json AS answer
         OFFSET 0) a);
ALTER TABLE usher.dead_letters OWNER TO usher_owner;
COMMENT ON VIEW usher.dead_letters IS 'records that could not be processed, with what was answered';
COMMENT ON COLUMN usher.dead_letters.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.dead_letters.seq IS 'of the decision that says so';
COMMENT ON COLUMN usher.dead_letters.source_offset IS 'of the record in the topic of requests';
COMMENT ON COLUMN usher.dead_letters.decided_at IS 'when';
COMMENT ON COLUMN usher.dead_letters.reason IS 'why';
COMMENT ON COLUMN usher.dead_letters.detail IS 'what is wrong with it, for people';
COMMENT ON COLUMN usher.dead_letters.resource IS 'that it names, where it could be read';
COMMENT ON COLUMN usher.dead_letters.request_id IS 'where it could be read';
COMMENT ON COLUMN usher.dead_letters.client IS 'the service that sent it, where it could be read';
COMMENT ON COLUMN usher.dead_letters.size IS 'of the value, in bytes';
COMMENT ON COLUMN usher.dead_letters.truncated IS 'the record was larger than what is kept of it';
COMMENT ON COLUMN usher.dead_letters.key IS 'of the record';
COMMENT ON COLUMN usher.dead_letters.value IS 'of the record';
CREATE VIEW usher.door_list AS
 SELECT r.id AS resource,
    p.name AS pool,
    p.night,
    COALESCE(s.names[((a.unit - s.start) + 1)], ((s.label || '-'::text) || ((s.first + a.unit) - s.start))) AS seat,
    a.unit,
    (1)::bigint AS quantity,
    b.customer,
    b.request_id AS booking,
        CASE
            WHEN b.one_line THEN b.one_rate
            ELSE ( SELECT (l.line ->> 5)
               FROM json_array_elements((b.lines)::json) l(line)
              WHERE (((l.line ->> 1) = (p.index)::text) AND (strpos(translate((l.line ->> 3), '[] '::text, ',,'::text), ((','::text || a.unit) || ','::text)) > 0))
             LIMIT 1)
        END AS rate,
        CASE
            WHEN b.one_line THEN b.one_price
            ELSE ( SELECT ((l.line ->> 2))::bigint AS int8
               FROM json_array_elements((b.lines)::json) l(line)
              WHERE (((l.line ->> 1) = (p.index)::text) AND (strpos(translate((l.line ->> 3), '[] '::text, ',,'::text), ((','::text || a.unit) || ','::text)) > 0))
             LIMIT 1)
        END AS price,
    r.currency,
    b.payment,
    b.sold_at,
    b.cart,
    (b.meta)::json AS meta,
    r.name,
    r.starts_at,
    b.no AS booking_number
   FROM ((((usher.resource r
     CROSS JOIN LATERAL ( SELECT pool.no,
            pool.index,
            pool.kind,
            (pool.name COLLATE "C") AS name,
            pool.night
           FROM usher.pool
          WHERE ((pool.resource_no = r.no) AND (pool.kind = ANY (ARRAY['seats'::text, 'room'::text])))
          ORDER BY (pool.name COLLATE "C"), pool.night) p)
     CROSS JOIN LATERAL (( SELECT seat_row.start,
            seat_row.seats,
            seat_row.label,
            seat_row.first,
            seat_row.names
           FROM usher.seat_row
          WHERE ((p.kind = 'seats'::text) AND (seat_row.partition = r.partition) AND (seat_row.chart = r.chart) AND (seat_row.section = p.name))
          ORDER BY seat_row.start)
        UNION ALL
         SELECT 0,
            2147483647,
            NULL::text,
            0,
            NULL::text[]
          WHERE (p.kind = 'room'::text)) s)
     CROSS JOIN LATERAL ( SELECT allocation.unit,
            allocation.booking
           FROM usher.allocation
          WHERE ((allocation.pool = p.no) AND (allocation.unit >= s.start) AND (allocation.unit < (s.start + s.seats)))
          ORDER BY allocation.unit) a)
     CROSS JOIN LATERAL ( SELECT f.no,
            f.request_id,
            f.customer,
            f.payment,
            f.cart,
            f.meta,
            f.lines,
            (strpos(f.lines, '],['::text) = 0) AS one_line,
            NULLIF(split_part(f.lines, '"'::text, 2), ''::text) AS one_rate,
            (split_part(f.lines, ','::text, 3))::bigint AS one_price,
            COALESCE(f.sold_at,
                CASE f.op
                    WHEN 'book'::text THEN f.created_at
                    ELSE ( SELECT t.sold_at
                       FROM usher.sale_time t
                      WHERE (t.booking = f.no)
                     LIMIT 1)
                END) AS sold_at
           FROM usher.booking f
          WHERE ((f.no = a.booking) AND (f.state = 'confirmed'::text))
         OFFSET 0) b)
UNION ALL
 SELECT r.id AS resource,
    (p.name COLLATE "C") AS pool,
    p.night,
    NULL::text AS seat,
    NULL::integer AS unit,
        CASE
            WHEN (json_typeof((l.line -> 3)) = 'array'::text) THEN (json_array_length((l.line -> 3)))::bigint
            ELSE ((l.line ->> 3))::bigint
        END AS quantity,
    b.customer,
    b.request_id AS booking,
    (l.line ->> 5) AS rate,
    ((l.line ->> 2))::bigint AS price,
    r.currency,
    b.payment,
    COALESCE(b.sold_at,
        CASE b.op
            WHEN 'book'::text THEN b.created_at
            ELSE ( SELECT t.sold_at
               FROM usher.sale_time t
              WHERE (t.booking = b.no)
             LIMIT 1)
        END) AS sold_at,
    b.cart,
    (b.meta)::json AS meta,
    r.name,
    r.starts_at,
    b.no AS booking_number
   FROM (((((usher.resource r
     CROSS JOIN LATERAL ( SELECT
           FROM usher.pool
          WHERE ((pool.resource_no = r.no) AND (pool.kind = ANY (ARRAY['section'::text, 'product'::text])) AND (pool.sold > 0))
         LIMIT 1) any_sold)
     JOIN usher.decision made ON (((made.resource_no = r.no) AND made.first)))
     JOIN usher.booking b ON (((b.no = (((made.partition)::bigint << 48) | made.seq)) AND (b.state = 'confirmed'::text))))
     CROSS JOIN LATERAL json_array_elements((b.lines)::json) l(line))
     CROSS JOIN LATERAL ( SELECT pool.no,
            pool.resource_no,
            pool.index,
            pool.kind,
            pool.name,
            pool.night,
            pool.title,
            pool.capacity,
            pool.price,
            pool.overbook,
            pool.rates,
            pool.properties,
            pool.held,
            pool.sold,
            pool.blocked
           FROM usher.pool
          WHERE ((pool.resource_no = r.no) AND (pool.index = ((l.line ->> 1))::integer) AND (pool.kind = ANY (ARRAY['section'::text, 'product'::text])))
         OFFSET 0) p);
ALTER TABLE usher.door_list OWNER TO usher_owner;
COMMENT ON VIEW usher.door_list IS 'who sits where: sold seats and rooms, one row each, and what bookings have of sections by capacity and products; by resource';
COMMENT ON COLUMN usher.door_list.resource IS 'of what';
COMMENT ON COLUMN usher.door_list.pool IS 'section, room type, or product';
COMMENT ON COLUMN usher.door_list.night IS 'of a room';
COMMENT ON COLUMN usher.door_list.seat IS 'name of the seat';
COMMENT ON COLUMN usher.door_list.unit IS 'number of the seat or room; null where the pool is only counted';
COMMENT ON COLUMN usher.door_list.quantity IS 'units: 1 of seats and rooms';
COMMENT ON COLUMN usher.door_list.customer IS 'whose they are';
COMMENT ON COLUMN usher.door_list.booking IS 'id of the booking';
COMMENT ON COLUMN usher.door_list.rate IS 'name of the rate, where the pool has several';
COMMENT ON COLUMN usher.door_list.price IS 'of one of them, in minor units of the currency';
COMMENT ON COLUMN usher.door_list.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.door_list.payment IS 'reference that came with the confirm';
COMMENT ON COLUMN usher.door_list.sold_at IS 'when it was confirmed';
COMMENT ON COLUMN usher.door_list.cart IS 'name of the cart';
COMMENT ON COLUMN usher.door_list.meta IS 'JSON that came with the request';
COMMENT ON COLUMN usher.door_list.name IS 'of the resource';
COMMENT ON COLUMN usher.door_list.starts_at IS 'of the resource';
COMMENT ON COLUMN usher.door_list.booking_number IS 'of the booking, as usher.booking_number says';
CREATE TABLE usher.former_owner (
    customer text NOT NULL COLLATE pg_catalog."C",
    booking bigint NOT NULL
);
ALTER TABLE usher.former_owner OWNER TO usher_owner;
COMMENT ON TABLE usher.former_owner IS 'customers who had a booking before it was transferred';
COMMENT ON COLUMN usher.former_owner.customer IS 'who';
COMMENT ON COLUMN usher.former_owner.booking IS 'number of the booking';
CREATE VIEW usher.hall AS
 SELECT r.id AS resource,
    r.chart,
    (c.content)::json AS layout
   FROM (usher.resource r
     JOIN usher.chart c ON (((c.partition = r.partition) AND (c.hash = r.chart))));
ALTER TABLE usher.hall OWNER TO usher_owner;
COMMENT ON VIEW usher.hall IS 'layout of the hall of each resource that has seats';
COMMENT ON COLUMN usher.hall.resource IS 'whose';
COMMENT ON COLUMN usher.hall.chart IS 'name of the layout';
COMMENT ON COLUMN usher.hall.layout IS 'JSON {"sections":[{"section":…,"rows":[…]}]}';
CREATE VIEW usher.history AS
 SELECT x.decided_at,
    x.of_resource AS resource,
    x.of_customer AS customer,
    x.op,
    x.outcome,
    x.reason,
    (a.answer ->> 'detail'::text) AS detail,
    COALESCE(x.of_booking, (a.answer ->> 'booking'::text)) AS booking,
    ((a.answer ->> 'total'::text))::bigint AS total,
    (a.answer ->> 'currency'::text) AS currency,
    (x.source_offset IS NULL) AS unasked,
    x.replayed,
    x.client,
    x.request_id,
    x.partition,
    x.seq,
    x.source_offset,
    x.epoch,
    a.answer,
    x.changed AS booking_number,
    (COALESCE(((a.answer -> 'units'::text))::jsonb, '[]'::jsonb) || COALESCE(((a.answer -> 'returned'::text))::jsonb, '[]'::jsonb)) AS units
   FROM (( SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            r.id AS of_resource,
            b.customer AS of_customer,
            b.request_id AS of_booking,
            b.no AS changed
           FROM ((usher.booking b
             JOIN usher.decision d ON (((d.partition = b.partition) AND (d.seq = (b.no & (((1)::bigint << 48) - 1))) AND ((((d.partition)::bigint << 48) | d.seq) = b.no) AND d.first)))
             JOIN usher.resource r ON (((r.no = b.resource_no) AND (r.no = d.resource_no))))
          WHERE ((b.state <> 'held'::text) OR ((b.state = 'held'::text) AND (b.expires_at IS NOT NULL)))
        UNION ALL
         SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            r.id,
            b.customer,
            b.request_id,
            b.no
           FROM (((usher.booking b
             JOIN usher.decision made ON (((made.partition = b.partition) AND (made.seq = (b.no & (((1)::bigint << 48) - 1))) AND ((((made.partition)::bigint << 48) | made.seq) = b.no) AND made.first)))
             JOIN usher.resource r ON (((r.no = b.resource_no) AND (r.no = made.resource_no))))
             JOIN usher.decision d ON (((d.booking_no = b.no) AND (d.booking_no <> (((d.partition)::bigint << 48) | d.seq)) AND (d.booking_nos IS NULL))))
          WHERE ((b.state <> 'held'::text) OR ((b.state = 'held'::text) AND (b.expires_at IS NOT NULL)))
        UNION ALL
         SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            r.id,
            b.customer,
            b.request_id,
            b.no
           FROM ((((usher.booking b
             JOIN usher.decision made ON (((made.partition = b.partition) AND (made.seq = (b.no & (((1)::bigint << 48) - 1))) AND ((((made.partition)::bigint << 48) | made.seq) = b.no) AND made.first)))
             JOIN usher.resource r ON (((r.no = b.resource_no) AND (r.no = made.resource_no))))
             JOIN usher.cart_decision c ON ((c.booking = b.no)))
             JOIN usher.decision d ON (((d.partition = c.partition) AND (d.seq = c.seq))))
          WHERE ((b.state <> 'held'::text) OR ((b.state = 'held'::text) AND (b.expires_at IS NOT NULL)))
        UNION ALL
         SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            r.id,
            f.customer,
            b.request_id,
            b.no
           FROM (((usher.former_owner f
             JOIN usher.booking b ON ((b.no = f.booking)))
             JOIN usher.decision d ON (((d.booking_no = b.no) AND (d.booking_no <> (((d.partition)::bigint << 48) | d.seq)) AND (d.outcome = 'transferred'::text))))
             JOIN usher.resource r ON ((r.no = b.resource_no)))
        UNION ALL
         SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            r.id,
            NULL::text,
            NULL::text,
            NULL::bigint
           FROM (usher.decision d
             JOIN usher.resource r ON ((r.no = d.resource_no)))
          WHERE (d.first AND (d.booking_no IS NULL) AND (d.booking_nos IS NULL))
        UNION ALL
         SELECT d.seq,
            d.source_offset,
            d.resource_no,
            d.booking_no,
            d.decided_at,
            d.appended_at,
            d.partition,
            d.epoch,
            d.codec,
            d.first,
            d.replayed,
            d.cloud_events,
            d.id_hash,
            d.content_hash,
            d.outcome,
            d.op,
            d.reason,
            d.request_id,
            d.resource,
            d.key,
            d.client,
            d.traceparent,
            d.body,
            d.booking_nos,
            d.resource,
            NULL::text,
            NULL::text,
            NULL::bigint
           FROM usher.decision d
          WHERE ((NOT d.first) AND (d.booking_no IS NULL) AND (d.booking_nos IS NULL))) x
     CROSS JOIN LATERAL ( SELECT ((('{'::text || x.body) || '}'::text))::json AS answer
         OFFSET 0) a);
ALTER TABLE usher.history OWNER TO usher_owner;
COMMENT ON VIEW usher.history IS 'everything that ever happened: a row for each decision and booking that it made or changed';
COMMENT ON COLUMN usher.history.decided_at IS 'when';
COMMENT ON COLUMN usher.history.resource IS 'what it was about';
COMMENT ON COLUMN usher.history.customer IS 'whose booking it made or changed; of a refusal the answer has it';
COMMENT ON COLUMN usher.history.op IS 'operation of the request';
COMMENT ON COLUMN usher.history.outcome IS 'held, confirmed, …, refused, invalid';
COMMENT ON COLUMN usher.history.reason IS 'of refused and invalid ones';
COMMENT ON COLUMN usher.history.detail IS 'of refusals, for people';
COMMENT ON COLUMN usher.history.booking IS 'id of the booking';
COMMENT ON COLUMN usher.history.total IS 'of the booking then, in minor units of the currency';
COMMENT ON COLUMN usher.history.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.history.unasked IS 'nobody asked: expiry, waiting list, closed resource, returned block';
COMMENT ON COLUMN usher.history.replayed IS 'a repeat of an earlier answer';
COMMENT ON COLUMN usher.history.client IS 'the service that asked';
COMMENT ON COLUMN usher.history.request_id IS 'of the request';
COMMENT ON COLUMN usher.history.partition IS 'of the decision';
COMMENT ON COLUMN usher.history.seq IS 'of the decision: (partition, seq) is the order';
COMMENT ON COLUMN usher.history.source_offset IS 'of the request in Kafka';
COMMENT ON COLUMN usher.history.epoch IS 'of the partition then';
COMMENT ON COLUMN usher.history.answer IS 'JSON: the body of the answer';
COMMENT ON COLUMN usher.history.booking_number IS 'of the booking, as usher.booking_number says';
COMMENT ON COLUMN usher.history.units IS 'JSON: all groups of units in the answer, taken and returned';
CREATE VIEW usher.open_holds AS
 SELECT bookings.resource,
    bookings.customer,
    bookings.booking,
    bookings.units,
    bookings.total,
    bookings.currency,
    bookings.created_at AS held_since,
    bookings.ends_at,
    bookings.cart,
    bookings.client,
    bookings.items,
    bookings.booking_number
   FROM usher.bookings
  WHERE (bookings.state = 'held'::text);
ALTER TABLE usher.open_holds OWNER TO usher_owner;
COMMENT ON VIEW usher.open_holds IS 'holds that are open now; by resource';
COMMENT ON COLUMN usher.open_holds.resource IS 'what is held';
COMMENT ON COLUMN usher.open_holds.customer IS 'who holds it';
COMMENT ON COLUMN usher.open_holds.booking IS 'id of the booking';
COMMENT ON COLUMN usher.open_holds.units IS 'how many units';
COMMENT ON COLUMN usher.open_holds.total IS 'their price, in minor units of the currency';
COMMENT ON COLUMN usher.open_holds.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.open_holds.held_since IS 'when it was made, or served from the waiting list';
COMMENT ON COLUMN usher.open_holds.ends_at IS 'when it expires';
COMMENT ON COLUMN usher.open_holds.cart IS 'name of the cart';
COMMENT ON COLUMN usher.open_holds.client IS 'the service that asked';
COMMENT ON COLUMN usher.open_holds.items IS 'JSON: its units, as answers have them';
COMMENT ON COLUMN usher.open_holds.booking_number IS 'as usher.booking_number says';
CREATE TABLE usher.partition_halt (
    partition integer NOT NULL,
    epoch integer NOT NULL,
    halted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    next_offset bigint,
    reason text NOT NULL,
    resumed_at timestamp with time zone,
    resumed_by text
);
ALTER TABLE usher.partition_halt OWNER TO usher_owner;
COMMENT ON TABLE usher.partition_halt IS 'why a worker stopped to decide; holds as long as the partition is in that epoch';
COMMENT ON COLUMN usher.partition_halt.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partition_halt.epoch IS 'of the partition then';
COMMENT ON COLUMN usher.partition_halt.halted_at IS 'when';
COMMENT ON COLUMN usher.partition_halt.next_offset IS 'of the request at which it stands; null: none was decided';
COMMENT ON COLUMN usher.partition_halt.reason IS 'what deploy/README.md, "A partition is halted", has advice for';
COMMENT ON COLUMN usher.partition_halt.resumed_at IS 'when a person had the partition try again; null: nobody did';
COMMENT ON COLUMN usher.partition_halt.resumed_by IS 'who';
CREATE TABLE usher.partition_skip (
    partition integer NOT NULL,
    epoch integer NOT NULL,
    from_offset bigint,
    to_offset bigint NOT NULL,
    records bigint NOT NULL,
    next_seq bigint NOT NULL,
    reason text NOT NULL,
    skipped_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    skipped_by text DEFAULT SESSION_USER NOT NULL,
    placeholders bigint DEFAULT 0 NOT NULL
);
ALTER TABLE usher.partition_skip OWNER TO usher_owner;
COMMENT ON TABLE usher.partition_skip IS 'requests that an operator passed over: they are never decided';
COMMENT ON COLUMN usher.partition_skip.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partition_skip.epoch IS 'of the partition, which began with it';
COMMENT ON COLUMN usher.partition_skip.from_offset IS 'of the first request that was passed over; null: the start of the log';
COMMENT ON COLUMN usher.partition_skip.to_offset IS 'of the first request behind them';
COMMENT ON COLUMN usher.partition_skip.records IS 'how many of them Kafka still had';
COMMENT ON COLUMN usher.partition_skip.next_seq IS 'of the partition then';
COMMENT ON COLUMN usher.partition_skip.reason IS 'why, as the operator said';
COMMENT ON COLUMN usher.partition_skip.skipped_at IS 'when';
COMMENT ON COLUMN usher.partition_skip.skipped_by IS 'who';
COMMENT ON COLUMN usher.partition_skip.placeholders IS 'loss of answers that were not published: how many others are published in their place';
CREATE TABLE usher.partition_topic (
    partition integer NOT NULL,
    epoch integer NOT NULL,
    topics text NOT NULL,
    next_offset bigint,
    next_seq bigint NOT NULL,
    published_seq bigint NOT NULL,
    reason text NOT NULL,
    accepted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    accepted_by text DEFAULT SESSION_USER NOT NULL,
    CONSTRAINT partition_topic_topics_check CHECK ((topics = ANY (ARRAY['requests'::text, 'results'::text, 'both'::text])))
);
ALTER TABLE usher.partition_topic OWNER TO usher_owner;
COMMENT ON TABLE usher.partition_topic IS 'topics that an operator accepted as new ones';
COMMENT ON COLUMN usher.partition_topic.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partition_topic.epoch IS 'of the partition, which began with it';
COMMENT ON COLUMN usher.partition_topic.topics IS 'requests, results or both';
COMMENT ON COLUMN usher.partition_topic.next_offset IS 'where the partition stood in the topic of requests; null: nowhere yet';
COMMENT ON COLUMN usher.partition_topic.next_seq IS 'of the partition then';
COMMENT ON COLUMN usher.partition_topic.published_seq IS 'answers behind this one are published from then on';
COMMENT ON COLUMN usher.partition_topic.reason IS 'why, as the operator said';
COMMENT ON COLUMN usher.partition_topic.accepted_at IS 'when';
COMMENT ON COLUMN usher.partition_topic.accepted_by IS 'who';
CREATE VIEW usher.partition_events AS
 SELECT h.partition,
    h.halted_at AS happened_at,
        CASE
            WHEN (s.epoch = h.epoch) THEN 'halted'::text
            ELSE 'was halted'::text
        END AS event,
    h.next_offset AS from_offset,
    NULL::bigint AS to_offset,
    NULL::bigint AS records,
    h.reason,
    h.resumed_by AS by_whom,
    h.resumed_at AS over_at
   FROM (usher.partition_halt h
     JOIN usher.partition_state s ON ((s.partition = h.partition)))
UNION ALL
 SELECT partition_skip.partition,
    partition_skip.skipped_at AS happened_at,
        CASE
            WHEN (partition_skip.from_offset = partition_skip.to_offset) THEN 'loss accepted'::text
            ELSE 'skipped'::text
        END AS event,
    partition_skip.from_offset,
    partition_skip.to_offset,
    (partition_skip.records + partition_skip.placeholders) AS records,
    partition_skip.reason,
    partition_skip.skipped_by AS by_whom,
    NULL::timestamp with time zone AS over_at
   FROM usher.partition_skip
UNION ALL
 SELECT partition_topic.partition,
    partition_topic.accepted_at AS happened_at,
        CASE partition_topic.topics
            WHEN 'both'::text THEN 'new topics'::text
            ELSE ('new topic of '::text || partition_topic.topics)
        END AS event,
    partition_topic.next_offset AS from_offset,
    NULL::bigint AS to_offset,
    NULL::bigint AS records,
    partition_topic.reason,
    partition_topic.accepted_by AS by_whom,
    NULL::timestamp with time zone AS over_at
   FROM usher.partition_topic
UNION ALL
 SELECT clock_reset.partition,
    clock_reset.became AS happened_at,
    'clock reset'::text AS event,
    NULL::bigint AS from_offset,
    NULL::bigint AS to_offset,
    NULL::bigint AS records,
    format('its time was %s'::text, clock_reset.was) AS reason,
    clock_reset.reset_by AS by_whom,
    NULL::timestamp with time zone AS over_at
   FROM usher.clock_reset;
ALTER TABLE usher.partition_events OWNER TO usher_owner;
COMMENT ON VIEW usher.partition_events IS 'when partitions halted, were moved on by an operator, or had their time set back';
COMMENT ON COLUMN usher.partition_events.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partition_events.happened_at IS 'when';
COMMENT ON COLUMN usher.partition_events.event IS 'halted (and still is), was halted, skipped, loss accepted, new topic of requests or results, new topics, clock reset';
COMMENT ON COLUMN usher.partition_events.from_offset IS 'of the request at which it stood';
COMMENT ON COLUMN usher.partition_events.to_offset IS 'of the request from which on it went on';
COMMENT ON COLUMN usher.partition_events.records IS 'skipped: how many requests of those that Kafka still had; loss accepted: how many decisions';
COMMENT ON COLUMN usher.partition_events.reason IS 'why';
COMMENT ON COLUMN usher.partition_events.by_whom IS 'who did it, or ended the halt';
COMMENT ON COLUMN usher.partition_events.over_at IS 'when a person ended the halt';
CREATE VIEW usher.partitions AS
 SELECT s.partition,
    split_part(s.owner, '#'::text, 1) AS owner,
    (EXISTS ( SELECT
           FROM pg_stat_activity a
          WHERE ((a.pid = s.backend_pid) AND (a.datname = current_database())))) AS connected,
    s.epoch,
    s.acquired_at,
    s.next_offset,
    s.next_seq,
    s.published_seq,
    s.now AS last_decided_at,
    h.halted_at,
    h.reason AS halted,
    s.partition_count
   FROM (usher.partition_state s
     LEFT JOIN usher.partition_halt h ON (((h.partition = s.partition) AND (h.epoch = s.epoch))));
ALTER TABLE usher.partitions OWNER TO usher_owner;
COMMENT ON VIEW usher.partitions IS 'who owns which partition, and where it stands';
COMMENT ON COLUMN usher.partitions.partition IS 'number of the Kafka partition';
COMMENT ON COLUMN usher.partitions.owner IS 'the worker that took it last';
COMMENT ON COLUMN usher.partitions.connected IS 'that worker''s session is there';
COMMENT ON COLUMN usher.partitions.epoch IS 'how many times the partition has changed owner';
COMMENT ON COLUMN usher.partitions.acquired_at IS 'when its owner took it';
COMMENT ON COLUMN usher.partitions.next_offset IS 'of the first request in Kafka that is not decided; null: none was';
COMMENT ON COLUMN usher.partitions.next_seq IS 'number of the next decision';
COMMENT ON COLUMN usher.partitions.published_seq IS 'answers up to this decision are known to be in Kafka';
COMMENT ON COLUMN usher.partitions.last_decided_at IS 'time of the last decision';
COMMENT ON COLUMN usher.partitions.halted_at IS 'when it stopped to decide; null: it has not';
COMMENT ON COLUMN usher.partitions.halted IS 'why: an operator must act';
COMMENT ON COLUMN usher.partitions.partition_count IS 'of the topic of requests';
CREATE TABLE usher.pruned (
    resource_no bigint NOT NULL,
    partition integer NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    epoch integer NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    last_seq bigint NOT NULL,
    decisions bigint NOT NULL,
    bookings bigint NOT NULL,
    dead_letters bigint NOT NULL,
    pruned_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    pruned_by text DEFAULT SESSION_USER NOT NULL,
    hidden_at timestamp with time zone
);
ALTER TABLE usher.pruned OWNER TO usher_owner;
COMMENT ON TABLE usher.pruned IS 'resources that are long over and were deleted with all that belonged to them';
COMMENT ON COLUMN usher.pruned.resource_no IS 'number that it had';
COMMENT ON COLUMN usher.pruned.partition IS 'of its requests';
COMMENT ON COLUMN usher.pruned.resource IS 'its id';
COMMENT ON COLUMN usher.pruned.epoch IS 'of the partition, which began with it';
COMMENT ON COLUMN usher.pruned.ended_at IS 'when it was over';
COMMENT ON COLUMN usher.pruned.last_seq IS 'answers were published up to this one; none of its decisions was behind it';
COMMENT ON COLUMN usher.pruned.decisions IS 'how many were deleted';
COMMENT ON COLUMN usher.pruned.bookings IS 'how many were deleted';
COMMENT ON COLUMN usher.pruned.dead_letters IS 'how many were deleted';
COMMENT ON COLUMN usher.pruned.pruned_at IS 'when';
COMMENT ON COLUMN usher.pruned.pruned_by IS 'who';
COMMENT ON COLUMN usher.pruned.hidden_at IS 'when its keys in Redis were deleted; null: they were not yet';
CREATE VIEW usher.purchase AS
 SELECT b.customer,
    r.id AS resource,
    r.name,
    r.venue,
    r.starts_at,
    b.request_id AS booking,
    p.kind,
    p.name AS pool,
    p.night,
        CASE
            WHEN (p.kind = 'seats'::text) THEN ( SELECT COALESCE(s.names[((u.n - s.start) + 1)], ((s.label || '-'::text) || ((s.first + u.n) - s.start))) AS "coalesce"
               FROM usher.seat_row s
              WHERE ((s.partition = r.partition) AND (s.chart = r.chart) AND (s.section = p.name) AND (s.start <= u.n))
              ORDER BY s.start DESC
             LIMIT 1)
            ELSE NULL::text
        END AS seat,
        CASE
            WHEN (p.kind = ANY (ARRAY['seats'::text, 'room'::text])) THEN u.n
            ELSE NULL::integer
        END AS unit,
    ((l.line ->> 2))::bigint AS price,
    (l.line ->> 5) AS rate,
    r.currency,
    b.payment,
    b.cart,
    b.created_at,
    (b.meta)::json AS meta,
    COALESCE(b.sold_at,
        CASE b.op
            WHEN 'book'::text THEN b.created_at
            ELSE ( SELECT t.sold_at
               FROM usher.sale_time t
              WHERE (t.booking = b.no)
             LIMIT 1)
        END) AS sold_at,
    b.no AS booking_number
   FROM (((((usher.booking b
     JOIN usher.decision made ON (((made.partition = b.partition) AND (made.seq = (b.no & (((1)::bigint << 48) - 1))) AND ((((made.partition)::bigint << 48) | made.seq) = b.no) AND made.first)))
     JOIN usher.resource r ON (((r.no = b.resource_no) AND (r.no = made.resource_no))))
     CROSS JOIN LATERAL json_array_elements((b.lines)::json) l(line))
     CROSS JOIN LATERAL ( SELECT (e.unit)::integer AS n
           FROM json_array_elements_text(
                CASE
                    WHEN (json_typeof((l.line -> 3)) = 'array'::text) THEN (l.line -> 3)
                    ELSE '[]'::json
                END) e(unit)
        UNION ALL
         SELECT NULL::integer
           FROM generate_series((1)::bigint,
                CASE
                    WHEN (json_typeof((l.line -> 3)) = 'number'::text) THEN ((l.line ->> 3))::bigint
                    ELSE NULL::bigint
                END) generate_series(generate_series)) u)
     CROSS JOIN LATERAL ( SELECT pool.no,
            pool.resource_no,
            pool.index,
            pool.kind,
            pool.name,
            pool.night,
            pool.title,
            pool.capacity,
            pool.price,
            pool.overbook,
            pool.rates,
            pool.properties,
            pool.held,
            pool.sold,
            pool.blocked
           FROM usher.pool
          WHERE ((pool.resource_no = b.resource_no) AND (pool.index = ((l.line ->> 1))::integer))
         OFFSET 0) p)
  WHERE (b.state = 'confirmed'::text);
ALTER TABLE usher.purchase OWNER TO usher_owner;
COMMENT ON VIEW usher.purchase IS 'a customer''s tickets, one row per sold unit; by customer, booking_number or resource';
COMMENT ON COLUMN usher.purchase.customer IS 'who has it';
COMMENT ON COLUMN usher.purchase.resource IS 'what it is for';
COMMENT ON COLUMN usher.purchase.name IS 'of the resource';
COMMENT ON COLUMN usher.purchase.venue IS 'of the resource';
COMMENT ON COLUMN usher.purchase.starts_at IS 'of the resource';
COMMENT ON COLUMN usher.purchase.booking IS 'id of the booking';
COMMENT ON COLUMN usher.purchase.kind IS 'seats, section, room, product';
COMMENT ON COLUMN usher.purchase.pool IS 'section, room type, or product';
COMMENT ON COLUMN usher.purchase.night IS 'of a room';
COMMENT ON COLUMN usher.purchase.seat IS 'name of the seat';
COMMENT ON COLUMN usher.purchase.unit IS 'number of the seat or room; null where the pool is only counted';
COMMENT ON COLUMN usher.purchase.price IS 'paid for it, in minor units of the currency';
COMMENT ON COLUMN usher.purchase.rate IS 'name of the rate, where the pool has several';
COMMENT ON COLUMN usher.purchase.currency IS 'ISO 4217';
COMMENT ON COLUMN usher.purchase.payment IS 'reference that came with the confirm';
COMMENT ON COLUMN usher.purchase.cart IS 'name of the cart';
COMMENT ON COLUMN usher.purchase.created_at IS 'when it was first held, or served from the waiting list';
COMMENT ON COLUMN usher.purchase.meta IS 'JSON that came with the request';
COMMENT ON COLUMN usher.purchase.sold_at IS 'when it was confirmed';
COMMENT ON COLUMN usher.purchase.booking_number IS 'of the booking, as usher.booking_number says';
CREATE VIEW usher.refusals AS
 SELECT x.resource,
    date_trunc('hour'::text, x.decided_at) AS hour,
    x.op,
    x.outcome,
    x.reason,
    count(*) AS requests,
    max(x.decided_at) AS last_at
   FROM ( SELECT r.id AS resource,
            d.decided_at,
            d.op,
            d.outcome,
            d.reason
           FROM (usher.decision d
             JOIN usher.resource r ON ((r.no = d.resource_no)))
          WHERE (d.first AND (d.outcome = 'refused'::text))
        UNION ALL
         SELECT d.resource,
            d.decided_at,
            d.op,
            d.outcome,
            d.reason
           FROM usher.decision d
          WHERE ((NOT d.first) AND (d.booking_no IS NULL) AND (NOT d.replayed) AND (d.outcome = ANY (ARRAY['refused'::text, 'invalid'::text])))) x
  GROUP BY x.resource, (date_trunc('hour'::text, x.decided_at)), x.op, x.outcome, x.reason;
ALTER TABLE usher.refusals OWNER TO usher_owner;
COMMENT ON VIEW usher.refusals IS 'requests that were refused, by operation, reason and hour; by resource';
COMMENT ON COLUMN usher.refusals.resource IS 'of what, as sent';
COMMENT ON COLUMN usher.refusals.hour IS 'in which they were refused';
COMMENT ON COLUMN usher.refusals.op IS 'operation of the requests';
COMMENT ON COLUMN usher.refusals.outcome IS 'refused, or invalid: could not be read';
COMMENT ON COLUMN usher.refusals.reason IS 'why';
COMMENT ON COLUMN usher.refusals.requests IS 'how many';
COMMENT ON COLUMN usher.refusals.last_at IS 'the last of them';
CREATE VIEW usher.sales AS
 SELECT door_list.resource,
    date_trunc('hour'::text, door_list.sold_at) AS hour,
    door_list.pool,
    door_list.night,
    door_list.rate,
    (sum(door_list.quantity))::bigint AS units,
    (sum((door_list.quantity * door_list.price)))::bigint AS amount,
    door_list.currency
   FROM usher.door_list
  GROUP BY door_list.resource, (date_trunc('hour'::text, door_list.sold_at)), door_list.pool, door_list.night, door_list.rate, door_list.currency;
ALTER TABLE usher.sales OWNER TO usher_owner;
COMMENT ON VIEW usher.sales IS 'what is sold, by pool, rate and the hour in which it was; what was cancelled since is left out; by resource';
COMMENT ON COLUMN usher.sales.resource IS 'of what';
COMMENT ON COLUMN usher.sales.hour IS 'in which it was confirmed';
COMMENT ON COLUMN usher.sales.pool IS 'section, room type, or product';
COMMENT ON COLUMN usher.sales.night IS 'of a room';
COMMENT ON COLUMN usher.sales.rate IS 'name of the rate, where the pool has several';
COMMENT ON COLUMN usher.sales.units IS 'how many';
COMMENT ON COLUMN usher.sales.amount IS 'what they cost, in minor units of the currency';
COMMENT ON COLUMN usher.sales.currency IS 'ISO 4217';
CREATE TABLE usher.schema_compatible (
    version integer NOT NULL,
    program integer NOT NULL,
    CONSTRAINT schema_compatible_check CHECK ((program < version))
);
ALTER TABLE usher.schema_compatible OWNER TO usher_owner;
COMMENT ON TABLE usher.schema_compatible IS 'migrations that programs of earlier versions do not notice';
COMMENT ON COLUMN usher.schema_compatible.version IS 'of the migration, as in schema_migration';
COMMENT ON COLUMN usher.schema_compatible.program IS 'programs of this version of the schema and of later ones can work with it';
CREATE TABLE usher.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    applied_by text DEFAULT SESSION_USER NOT NULL
);
ALTER TABLE usher.schema_migration OWNER TO usher_owner;
COMMENT ON TABLE usher.schema_migration IS 'migrations that were applied; read with usher-worker migrate list';
COMMENT ON COLUMN usher.schema_migration.version IS 'number of the file: 1 is 001_….sql';
COMMENT ON COLUMN usher.schema_migration.name IS 'its name';
COMMENT ON COLUMN usher.schema_migration.sha256 IS 'of its content: an applied file never changes';
COMMENT ON COLUMN usher.schema_migration.applied_at IS 'when';
COMMENT ON COLUMN usher.schema_migration.applied_by IS 'the login that migrated';
CREATE VIEW usher.taken_seats AS
 SELECT r.id AS resource,
    p.name AS section,
    a.unit,
    b.state,
    b.customer,
    b.request_id AS booking,
    b.expires_at AS ends_at
   FROM (((usher.resource r
     JOIN usher.pool p ON (((p.resource_no = r.no) AND (p.kind = 'seats'::text))))
     JOIN usher.allocation a ON ((a.pool = p.no)))
     CROSS JOIN LATERAL ( SELECT booking.no,
            booking.partition,
            booking.resource_no,
            booking.created_at,
            booking.expires_at,
            booking.total,
            booking.state,
            booking.op,
            booking.request_id,
            booking.client,
            booking.customer,
            booking.cart,
            booking.payment,
            booking.note,
            booking.lines,
            booking.meta,
            booking.ttl_s,
            booking.wants
           FROM usher.booking
          WHERE (booking.no = a.booking)
         OFFSET 0) b);
ALTER TABLE usher.taken_seats OWNER TO usher_owner;
COMMENT ON VIEW usher.taken_seats IS 'seats that are held, sold or blocked; by resource';
COMMENT ON COLUMN usher.taken_seats.resource IS 'of what';
COMMENT ON COLUMN usher.taken_seats.section IS 'name of the section';
COMMENT ON COLUMN usher.taken_seats.unit IS 'number of the seat within the section, row by row';
COMMENT ON COLUMN usher.taken_seats.state IS 'held, confirmed (sold), blocked';
COMMENT ON COLUMN usher.taken_seats.customer IS 'whose it is; null: the house';
COMMENT ON COLUMN usher.taken_seats.booking IS 'id of the booking';
COMMENT ON COLUMN usher.taken_seats.ends_at IS 'when the hold expires, or the block returns';
CREATE VIEW usher.waiting AS
 SELECT r.id AS resource,
    row_number() OVER (PARTITION BY r.id ORDER BY b.no) AS "position",
    b.customer,
    b.request_id AS booking,
    ((b.wants)::json -> 'items'::text) AS items,
    b.created_at AS since,
    b.expires_at AS until,
    b.cart,
    b.client,
    (b.wants)::json AS wants
   FROM (usher.booking b
     JOIN usher.resource r ON ((r.no = b.resource_no)))
  WHERE (b.state = 'waiting'::text);
ALTER TABLE usher.waiting OWNER TO usher_owner;
COMMENT ON VIEW usher.waiting IS 'the waiting lists: who is next, and what they want; by resource';
COMMENT ON COLUMN usher.waiting.resource IS 'what they wait for';
COMMENT ON COLUMN usher.waiting."position" IS '1 is next';
COMMENT ON COLUMN usher.waiting.customer IS 'who waits';
COMMENT ON COLUMN usher.waiting.booking IS 'id of the party';
COMMENT ON COLUMN usher.waiting.items IS 'JSON: what they want';
COMMENT ON COLUMN usher.waiting.since IS 'when they began to wait';
COMMENT ON COLUMN usher.waiting.until IS 'when they stop';
COMMENT ON COLUMN usher.waiting.cart IS 'name of the cart';
COMMENT ON COLUMN usher.waiting.client IS 'the service that asked';
COMMENT ON COLUMN usher.waiting.wants IS 'JSON: the whole wish';
INSERT INTO usher.allocation VALUES
	(7, 13, 0),
	(7, 13, 1),
	(7, 14, 4),
	(11, 16, 0),
	(12, 16, 0),
	(17, 17, 0),
	(18, 17, 0),
	(12, 18, 1),
	(12, 18, 2),
	(13, 18, 0),
	(13, 18, 1),
	(14, 18, 0),
	(14, 18, 1),
	(8, 19, 0),
	(7, 25, 10),
	(7, 26, 11),
	(7, 39, 7),
	(7, 52, 14),
	(7, 68, 15),
	(7, 71, 2),
	(7, 71, 3),
	(15, 72, 0),
	(16, 72, 0),
	(7, 73, 5),
	(7, 73, 6),
	(7, 74, 8),
	(7, 74, 9),
	(15, 80, 1),
	(16, 80, 1),
	(15, 83, 2),
	(16, 83, 2),
	(7, 86, 13),
	(7, 95, 17);
INSERT INTO usher.booking VALUES
	(7, 0, 6, '2026-01-03 13:53:54.152+00', NULL, 2000, 'confirmed', 'book', 'old-7', NULL, 'f0', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.152+00'),
	(8, 0, 6, '2026-01-03 13:53:54.233+00', NULL, 2000, 'confirmed', 'book', 'old-8', NULL, 'f1', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.233+00'),
	(9, 0, 6, '2026-01-03 13:53:54.262+00', NULL, 2000, 'confirmed', 'book', 'old-9', NULL, 'f2', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.262+00'),
	(10, 0, 6, '2026-01-03 13:53:54.33+00', NULL, 2000, 'confirmed', 'book', 'old-10', NULL, 'f3', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.33+00'),
	(11, 0, 6, '2026-01-03 13:53:54.345+00', NULL, 2000, 'confirmed', 'book', 'old-11', NULL, 'f4', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.345+00'),
	(13, 0, 12, '2026-01-03 13:53:54.378+00', NULL, 13500, 'confirmed', 'book', 'sold', NULL, 'ann', NULL, 'pi_1', NULL, '[[0,0,4500,[0,1],656956545],[1,2,2000,2],[2,3,500,1]]', NULL, NULL, NULL, '2026-01-03 13:53:54.378+00'),
	(14, 0, 12, '2026-01-03 13:53:54.415+00', '2026-01-03 14:08:54.415+00', 4500, 'held', 'hold', 'kept', NULL, 'bob', NULL, NULL, NULL, '[[0,0,4500,[4],1977926466]]', NULL, 900, NULL, NULL),
	(16, 0, 15, '2026-01-03 13:53:54.472+00', '2026-01-03 14:08:54.513+00', 25800, 'held', 'hold', 'nights', NULL, 'cleo', 'trip', NULL, NULL, '[[0,0,12900,[0]],[0,1,12900,[0]]]', NULL, 900, NULL, NULL),
	(17, 0, 15, '2026-01-03 13:53:54.513+00', '2026-01-03 14:08:54.513+00', 16000, 'held', 'hold', 'single', NULL, 'cleo', 'trip', NULL, NULL, '[[0,6,8000,[0]],[0,7,8000,[0]]]', NULL, 900, NULL, NULL),
	(18, 0, 15, '2026-01-03 13:53:54.553+00', NULL, 77400, 'confirmed', 'book', 'old-18', NULL, 'dan', NULL, NULL, NULL, '[[0,1,12900,[1,2]],[0,2,12900,[0,1]],[0,3,12900,[0,1]]]', NULL, NULL, NULL, '2026-01-03 13:53:54.553+00'),
	(19, 0, 12, '2026-01-03 13:53:54.575+00', NULL, 0, 'blocked', 'block', 'camera', NULL, NULL, NULL, NULL, 'camera', '[[0,1,0,[0],1108547385]]', NULL, NULL, NULL, NULL),
	(21, 0, 12, '2026-01-03 13:53:54.604+00', '2099-01-01 00:00:00+00', 0, 'waiting', 'hold', 'queue', NULL, 'eve', NULL, NULL, NULL, '[]', NULL, 900, '{"op":"hold","items":[{"product":"programme","quantity":1}]}', NULL),
	(20, 0, 12, '2026-01-03 13:53:54.594+00', NULL, 1000, 'confirmed', 'book', 'programmes', NULL, 'fay', NULL, NULL, NULL, '[[0,3,500,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.594+00'),
	(23, 0, 12, '2026-01-03 13:53:54.63+00', NULL, 4000, 'confirmed', 'book', 'one', NULL, 'gus', NULL, NULL, NULL, '[[0,2,2000,2]]', NULL, NULL, NULL, '2026-01-03 13:53:54.63+00'),
	(25, 0, 12, '2026-01-03 13:53:54.659+00', NULL, 4500, 'confirmed', 'hold', 'old-25', NULL, 'ida', 'k', NULL, NULL, '[[0,0,4500,[10],27352507]]', NULL, 900, NULL, '2026-01-03 13:53:54.678+00'),
	(26, 0, 12, '2026-01-03 13:53:54.669+00', NULL, 4500, 'confirmed', 'hold', 'old-26', NULL, 'ida', 'k', NULL, NULL, '[[0,0,4500,[11],1399662036]]', NULL, 900, NULL, '2026-01-03 13:53:54.678+00'),
	(29, 0, 12, '2026-01-03 13:53:54.698+00', NULL, 4500, 'cancelled', 'book', 'back', NULL, 'jon', NULL, NULL, NULL, '[[0,0,4500,[12],845851827]]', NULL, NULL, NULL, '2026-01-03 13:53:54.698+00'),
	(33, 0, 12, '2026-01-03 13:53:54.773+00', '2026-01-03 14:08:54.773+00', 2000, 'released', 'hold', 'old-33', NULL, 'c9', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, 900, NULL, NULL),
	(36, 0, 15, '2026-01-03 13:53:54.831+00', '2026-01-03 14:08:54.831+00', 25800, 'released', 'hold', 'old-36', NULL, 'c2', NULL, NULL, NULL, '[[0,4,12900,[0]],[0,5,12900,[0]]]', NULL, 900, NULL, NULL),
	(47, 0, 6, '2026-01-03 13:53:55.039+00', NULL, 3000, 'confirmed', 'book', 'old-47', NULL, 'c6', NULL, NULL, NULL, '[[0,0,1000,3]]', NULL, NULL, NULL, '2026-01-03 13:53:55.039+00'),
	(48, 0, 6, '2026-01-03 13:53:55.045+00', NULL, 1000, 'confirmed', 'book', 'old-48', NULL, 'c2', NULL, NULL, NULL, '[[0,0,1000,1]]', NULL, NULL, NULL, '2026-01-03 13:53:55.045+00'),
	(42, 0, 15, '2026-01-03 13:53:54.929+00', NULL, 38700, 'cancelled', 'book', 'old-42', NULL, 'c5', NULL, NULL, NULL, '[[0,3,12900,[2]],[0,4,12900,[0]],[0,5,12900,[0]]]', NULL, NULL, NULL, '2026-01-03 13:53:54.929+00'),
	(50, 0, 6, '2026-01-03 13:53:55.07+00', NULL, 2000, 'confirmed', 'hold', 'old-50', NULL, 'c8', NULL, NULL, NULL, '[[0,0,1000,2]]', NULL, 900, NULL, '2026-01-03 13:53:55.081+00'),
	(52, 0, 12, '2026-01-03 13:53:55.104+00', NULL, 4500, 'confirmed', 'book', 'old-52', NULL, 'c7', NULL, NULL, NULL, '[[0,0,4500,[14],155113448]]', NULL, NULL, NULL, '2026-01-03 13:53:55.104+00'),
	(37, 0, 15, '2026-01-03 13:53:54.844+00', '2026-01-03 14:08:54.844+00', 25800, 'released', 'hold', 'old-37', NULL, 'c4', NULL, NULL, NULL, '[[0,4,12900,[1]],[0,5,12900,[1]]]', NULL, 900, NULL, NULL),
	(55, 0, 6, '2026-01-03 13:53:55.128+00', NULL, 3000, 'confirmed', 'book', 'old-55', NULL, 'c4', NULL, NULL, NULL, '[[0,0,1000,3]]', NULL, NULL, NULL, '2026-01-03 13:53:55.128+00'),
	(39, 0, 12, '2026-01-03 13:53:54.864+00', NULL, 4500, 'confirmed', 'hold', 'old-39', NULL, 'c4', NULL, NULL, NULL, '[[0,0,4500,[7],1401057825]]', NULL, 900, NULL, '2026-01-03 13:53:55.154+00'),
	(58, 0, 12, '2026-01-03 13:53:55.163+00', '2026-01-03 14:08:55.163+00', 2000, 'held', 'hold', 'old-58', NULL, 'c7', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, 900, NULL, NULL),
	(59, 0, 12, '2026-01-03 13:53:55.168+00', NULL, 2000, 'confirmed', 'book', 'old-59', NULL, 'c9', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, NULL, NULL, '2026-01-03 13:53:55.168+00'),
	(64, 0, 12, '2026-01-03 13:53:55.247+00', '2026-01-03 14:08:55.247+00', 2000, 'held', 'hold', 'old-64', NULL, 'c4', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, 900, NULL, NULL),
	(65, 0, 6, '2026-01-03 13:53:55.26+00', NULL, 3000, 'confirmed', 'book', 'old-65', NULL, 'c8', NULL, NULL, NULL, '[[0,0,1000,3]]', NULL, NULL, NULL, '2026-01-03 13:53:55.26+00'),
	(63, 0, 12, '2026-01-03 13:53:55.235+00', '2026-01-03 14:08:55.235+00', 2000, 'released', 'hold', 'old-63', NULL, 'c1', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, 900, NULL, NULL),
	(67, 0, 12, '2026-01-03 13:53:55.293+00', NULL, 2000, 'confirmed', 'book', 'old-67', NULL, 'c5', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, NULL, NULL, '2026-01-03 13:53:55.293+00'),
	(68, 0, 12, '2026-01-03 13:53:55.318+00', NULL, 4500, 'confirmed', 'book', 'old-68', NULL, 'c3', NULL, NULL, NULL, '[[0,0,4500,[15],1493079744]]', NULL, NULL, NULL, '2026-01-03 13:53:55.318+00'),
	(69, 0, 12, '2026-01-03 13:53:55.346+00', NULL, 2000, 'confirmed', 'book', 'old-69', NULL, 'c9', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, NULL, NULL, '2026-01-03 13:53:55.346+00'),
	(71, 0, 12, '2026-01-03 13:53:55.364+00', '2026-01-03 14:08:55.364+00', 9000, 'held', 'hold', 'old-71', NULL, 'c7', NULL, NULL, NULL, '[[0,0,4500,[2,3],604901747]]', NULL, 900, NULL, NULL),
	(72, 0, 15, '2026-01-03 13:53:55.373+00', NULL, 25800, 'confirmed', 'book', 'old-72', NULL, 'c1', NULL, NULL, NULL, '[[0,4,12900,[0]],[0,5,12900,[0]]]', NULL, NULL, NULL, '2026-01-03 13:53:55.373+00'),
	(73, 0, 12, '2026-01-03 13:53:55.378+00', NULL, 9000, 'confirmed', 'book', 'old-73', NULL, 'c8', NULL, NULL, NULL, '[[0,0,4500,[5,6],17528905]]', NULL, NULL, NULL, '2026-01-03 13:53:55.378+00'),
	(74, 0, 12, '2026-01-03 13:53:55.386+00', '2026-01-03 14:08:55.386+00', 9000, 'held', 'hold', 'old-74', NULL, 'c4', NULL, NULL, NULL, '[[0,0,4500,[8,9],762897855]]', NULL, 900, NULL, NULL),
	(75, 0, 12, '2026-01-03 13:53:55.391+00', NULL, 2000, 'confirmed', 'book', 'old-75', NULL, 'c6', NULL, NULL, NULL, '[[0,2,2000,1]]', NULL, NULL, NULL, '2026-01-03 13:53:55.391+00'),
	(78, 0, 12, '2026-01-03 13:53:55.425+00', '2026-01-03 14:08:55.425+00', 4500, 'released', 'hold', 'old-78', NULL, 'c1', NULL, NULL, NULL, '[[0,0,4500,[13],915080945]]', NULL, 900, NULL, NULL),
	(80, 0, 15, '2026-01-03 13:53:55.447+00', NULL, 25800, 'confirmed', 'book', 'old-80', NULL, 'c3', NULL, NULL, NULL, '[[0,4,12900,[1]],[0,5,12900,[1]]]', NULL, NULL, NULL, '2026-01-03 13:53:55.447+00'),
	(82, 0, 6, '2026-01-03 13:53:55.466+00', '2026-01-03 14:08:55.466+00', 1000, 'held', 'hold', 'old-82', NULL, 'c5', NULL, NULL, NULL, '[[0,0,1000,1]]', NULL, 900, NULL, NULL),
	(83, 0, 15, '2026-01-03 13:53:55.481+00', NULL, 25800, 'confirmed', 'hold', 'old-83', NULL, 'c1', NULL, NULL, NULL, '[[0,4,12900,[2]],[0,5,12900,[2]]]', NULL, 900, NULL, '2026-01-03 13:53:55.499+00'),
	(86, 0, 12, '2026-01-03 13:53:55.508+00', '2026-01-03 14:08:55.508+00', 4500, 'held', 'hold', 'old-86', NULL, 'c3', NULL, NULL, NULL, '[[0,0,4500,[13],915080945]]', NULL, 900, NULL, NULL),
	(87, 0, 6, '2026-01-03 13:53:55.52+00', NULL, 3000, 'confirmed', 'book', 'old-87', NULL, 'c2', NULL, NULL, NULL, '[[0,0,1000,3]]', NULL, NULL, NULL, '2026-01-03 13:53:55.52+00'),
	(88, 0, 6, '2026-01-03 13:53:55.532+00', '2026-01-03 14:08:55.532+00', 1000, 'held', 'hold', 'old-88', NULL, 'c2', NULL, NULL, NULL, '[[0,0,1000,1]]', NULL, 900, NULL, NULL),
	(89, 0, 6, '2026-01-03 13:53:55.542+00', '2026-01-03 14:08:55.542+00', 1000, 'held', 'hold', 'old-89', NULL, 'c5', NULL, NULL, NULL, '[[0,0,1000,1]]', NULL, 900, NULL, NULL),
	(90, 0, 6, '2026-01-03 13:53:55.551+00', '2026-01-03 14:08:55.551+00', 3000, 'held', 'hold', 'old-90', NULL, 'c8', NULL, NULL, NULL, '[[0,0,1000,3]]', NULL, 900, NULL, NULL),
	(4, 0, 3, '2024-02-28 13:53:52.623+00', NULL, 2000, 'confirmed', 'book', 'gone', NULL, 'forgotten-bcb50e5a8eff428f', NULL, 'forgotten', NULL, '[[0,0,1000,2]]', '{}', NULL, NULL, '2024-02-28 13:53:52.623+00'),
	(95, 0, 12, '2026-01-03 13:53:56.195+00', '2026-01-03 14:08:56.195+00', 4500, 'held', 'hold', 'old-97', NULL, 'hal', NULL, NULL, NULL, '[[0,0,4500,[17],2125601362]]', NULL, 900, NULL, NULL);
INSERT INTO usher.cart_decision VALUES
	(25, 0, 27),
	(26, 0, 27);
INSERT INTO usher.chart VALUES
	(0, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', '{"sections":[{"section":"stalls","rows":[{"row":"A","seats":4,"first":1},{"row":"B","seats":6,"first":1},{"row":"C","seats":8,"first":1}]},{"section":"balcony","rows":[{"row":"BA","seats":5,"first":11}]}]}');
INSERT INTO usher.clock_reset VALUES
	(0, 7, '2026-01-08 13:53:53.401+00', '2026-01-03 13:53:53.90421+00', 'usher_owner');
INSERT INTO usher.dead_letter VALUES
	(0, 32, 31, false, 'malformed', '\x68616c6c', '\x7b22726571756573745f6964223a20226f6c642d3332222c20226f70223a2022686f6c64222c20227265736f75726365223a202268616c6c222c2022637573746f6d6572223a20227a6f65227d');
INSERT INTO usher.decision VALUES
	(3, 2, 3, NULL, '2024-02-28 13:53:52.602+00', '2026-01-03 13:53:52.591+00', 0, 1, 1, true, false, false, '62936528-938d-1a13-027a-9ba43f243469', '9ea1dc45-8117-8e77-7ea1-16463bae3d4a', 'defined', 'define', NULL, 'old-3', 'over', '\x6f766572', NULL, NULL, '"outcome":"defined","decided_at":"2024-02-28T13:53:52.602Z","rev":3,"free":5', NULL),
	(6, 5, 6, NULL, '2026-01-08 13:53:53.22+00', '2026-01-03 13:53:53.208+00', 0, 2, 1, true, false, false, 'ea3e1bd0-815d-f8ec-19f2-98d4713f3fc1', '8274b092-7f7f-9fd4-3c14-ae0508d7ade6', 'defined', 'define', NULL, 'old-6', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"defined","decided_at":"2026-01-08T13:53:53.220Z","rev":6,"free":50', NULL),
	(7, 6, 6, 7, '2026-01-03 13:53:54.152+00', '2026-01-03 13:53:53.931+00', 0, 5, 1, true, false, false, 'a6ade9cb-6075-925a-c08f-6ace51c86b9d', '4366ec45-f113-4715-ea34-598e605e05f3', 'confirmed', 'book', NULL, 'old-7', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-7","customer":"f0","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:54.152Z","rev":7,"free":48', NULL),
	(8, 7, 6, 8, '2026-01-03 13:53:54.233+00', '2026-01-03 13:53:54.216+00', 0, 5, 1, true, false, false, '81f58aaa-7b77-e3c5-743b-78fe4e3005db', '41b7d837-f57a-646b-116c-daf1dbd56f0f', 'confirmed', 'book', NULL, 'old-8', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-8","customer":"f1","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:54.233Z","rev":8,"free":46', NULL),
	(9, 8, 6, 9, '2026-01-03 13:53:54.262+00', '2026-01-03 13:53:54.252+00', 0, 5, 1, true, false, false, '942077ab-50b9-2d65-f42a-165723b5594e', '8344055f-acdc-c325-6306-2f3be93aa130', 'confirmed', 'book', NULL, 'old-9', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-9","customer":"f2","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:54.262Z","rev":9,"free":44', NULL),
	(10, 9, 6, 10, '2026-01-03 13:53:54.33+00', '2026-01-03 13:53:54.278+00', 0, 5, 1, true, false, false, '49135c14-db9d-fd53-cdea-7438b11ca605', 'c7f1f72e-fc28-1e2d-c584-e2e6b4ba8c65', 'confirmed', 'book', NULL, 'old-10', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-10","customer":"f3","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:54.330Z","rev":10,"free":42', NULL),
	(11, 10, 6, 11, '2026-01-03 13:53:54.345+00', '2026-01-03 13:53:54.342+00', 0, 5, 1, true, false, false, '69508e78-47f3-7f4d-695b-3ba6a480d1d4', 'a773758f-92ab-63f9-495b-7746055f2b5d', 'confirmed', 'book', NULL, 'old-11', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-11","customer":"f4","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:54.345Z","rev":11,"free":40', NULL),
	(12, 11, 12, NULL, '2026-01-03 13:53:54.363+00', '2026-01-03 13:53:54.36+00', 0, 5, 1, true, false, false, '729fdef9-ac87-8a05-78ea-7aed9bdc17af', '3f32dc50-f8e5-c63d-11ff-a7d1f2c1a511', 'defined', 'define', NULL, 'old-12', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"defined","chart":"sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e","decided_at":"2026-01-03T13:53:54.363Z","rev":12,"free":36', NULL),
	(13, 12, 12, 13, '2026-01-03 13:53:54.378+00', '2026-01-03 13:53:54.375+00', 0, 5, 1, true, false, false, 'a6fffccf-2d95-e20b-779b-e56876f17407', '3117063b-c747-de79-2fb9-d11a70e3a9f7', 'confirmed', 'book', NULL, 'sold', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"sold","customer":"ann","payment":"pi_1","units":[{"item":0,"section":"stalls","seats":["A-1","A-2"],"price":4500},{"item":1,"section":"standing","quantity":2,"price":2000},{"item":2,"product":"programme","quantity":1,"price":500}],"total":13500,"currency":"EUR","decided_at":"2026-01-03T13:53:54.378Z","rev":13,"free":31', NULL),
	(14, 13, 12, 14, '2026-01-03 13:53:54.415+00', '2026-01-03 13:53:54.407+00', 0, 5, 1, true, false, false, '79f076ab-dd19-a752-db72-67bfff2f9022', 'abea0632-8ef9-1149-9019-eaff9dac35be', 'held', 'hold', NULL, 'kept', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"kept","customer":"bob","units":[{"item":0,"section":"stalls","seats":["B-1"],"price":4500}],"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:54.415Z","decided_at":"2026-01-03T13:53:54.415Z","rev":14,"free":30', NULL),
	(15, 14, 15, NULL, '2026-01-03 13:53:54.453+00', '2026-01-03 13:53:54.451+00', 0, 5, 1, true, false, false, '21ab30d1-f159-5664-1b2d-6af8a8c7ba87', 'e3998533-d5d3-709e-ca2d-e3a979ee039e', 'defined', 'define', NULL, 'old-15', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"defined","decided_at":"2026-01-03T13:53:54.453Z","rev":15,"free":24', NULL),
	(16, 15, 15, 16, '2026-01-03 13:53:54.472+00', '2026-01-03 13:53:54.469+00', 0, 5, 1, true, false, false, 'de5c9050-dc18-c72f-8e47-66c91b9a6031', '32aff87f-d1c4-6bf5-9b52-42cb2aeb3eb2', 'held', 'hold', NULL, 'nights', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"held","booking":"nights","customer":"cleo","cart":"trip","units":[{"item":0,"room":"double","night":"2100-12-20","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-21","tokens":[0],"price":12900}],"total":25800,"currency":"GBP","expires_at":"2026-01-03T14:08:54.472Z","decided_at":"2026-01-03T13:53:54.472Z","rev":16,"free":22', NULL),
	(17, 16, 15, 17, '2026-01-03 13:53:54.513+00', '2026-01-03 13:53:54.499+00', 0, 5, 1, true, false, false, '947f1875-06f7-629c-81c8-1879a2cb2256', 'a1187d2e-8efe-b57f-1790-c187e2a3a553', 'held', 'hold', NULL, 'single', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"held","booking":"single","customer":"cleo","cart":"trip","units":[{"item":0,"room":"single","night":"2100-12-20","tokens":[0],"price":8000},{"item":0,"room":"single","night":"2100-12-21","tokens":[0],"price":8000}],"total":16000,"currency":"GBP","expires_at":"2026-01-03T14:08:54.513Z","decided_at":"2026-01-03T13:53:54.513Z","rev":17,"free":20', NULL),
	(18, 17, 15, 18, '2026-01-03 13:53:54.553+00', '2026-01-03 13:53:54.55+00', 0, 5, 1, true, false, false, 'e81052e9-6952-fd60-3716-087180ed464a', 'd05d1d0b-28d3-b879-b22b-0f21f9b244bf', 'confirmed', 'book', NULL, 'old-18', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"confirmed","booking":"old-18","customer":"dan","units":[{"item":0,"room":"double","night":"2100-12-21","tokens":[1,2],"price":12900},{"item":0,"room":"double","night":"2100-12-22","tokens":[0,1],"price":12900},{"item":0,"room":"double","night":"2100-12-23","tokens":[0,1],"price":12900}],"total":77400,"currency":"GBP","decided_at":"2026-01-03T13:53:54.553Z","rev":18,"free":14', NULL),
	(19, 18, 12, 19, '2026-01-03 13:53:54.575+00', '2026-01-03 13:53:54.572+00', 0, 5, 1, true, false, false, '89e8b951-8d92-2794-89bb-dee26f3dc646', '84fe12c8-54bb-1c50-251a-3e238179d9c5', 'blocked', 'block', NULL, 'camera', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"blocked","booking":"camera","units":[{"item":0,"section":"balcony","seats":["BA-11"],"price":0}],"total":0,"currency":"EUR","decided_at":"2026-01-03T13:53:54.575Z","rev":19,"free":29', NULL),
	(20, 19, 12, 20, '2026-01-03 13:53:54.594+00', '2026-01-03 13:53:54.592+00', 0, 5, 1, true, false, false, 'b5a62918-4f98-405a-d264-2d8df1b4e042', 'f8b277a8-71df-ac15-f9b2-43524298299b', 'confirmed', 'book', NULL, 'programmes', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"programmes","customer":"dan","units":[{"item":0,"product":"programme","quantity":2,"price":500}],"total":1000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.594Z","rev":20,"free":27', NULL),
	(21, 20, 12, 21, '2026-01-03 13:53:54.604+00', '2026-01-03 13:53:54.601+00', 0, 5, 1, true, false, false, '00b109cf-1123-a591-253c-c534b17e5268', '5abaef16-ad1a-4831-9bfd-2545c2f6cf8d', 'waiting', 'hold', NULL, 'queue', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"waiting","booking":"queue","customer":"eve","expires_at":"2099-01-01T00:00:00.000Z","position":1,"decided_at":"2026-01-03T13:53:54.604Z","rev":21,"free":27', NULL),
	(4, 3, 3, 4, '2024-02-28 13:53:52.623+00', '2026-01-03 13:53:52.619+00', 0, 1, 1, true, false, false, '283bb9de-ef02-e684-3abf-b538efa1eca7', '802be14d-4a68-59d9-6029-4a1bc9f2b40e', 'confirmed', 'book', NULL, 'gone', 'over', '\x6f766572', NULL, NULL, '"outcome":"confirmed","booking":"gone","customer":"forgotten-bcb50e5a8eff428f","payment":"forgotten","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2024-02-28T13:53:52.623Z","rev":4,"free":3', NULL),
	(22, 21, 12, 20, '2026-01-03 13:53:54.612+00', '2026-01-03 13:53:54.61+00', 0, 5, 1, true, false, false, '81f34be8-109c-fe88-f15a-c4278b1326fc', '84681235-99c3-685d-af3e-98b3baf1f86f', 'transferred', 'transfer', NULL, 'old-22', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"transferred","booking":"programmes","customer":"fay","total":1000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.612Z","rev":22,"free":27', NULL),
	(23, 22, 12, 23, '2026-01-03 13:53:54.63+00', '2026-01-03 13:53:54.627+00', 0, 5, 1, true, false, false, '7692c3ad-3540-bb80-3c02-0b3aee66cd88', '6ce1fcf8-4add-f565-8b38-d2f1ab2cca02', 'confirmed', 'book', NULL, 'one', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"one","customer":"gus","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.630Z","rev":23,"free":26', NULL),
	(24, 23, 12, 23, '2026-01-03 13:53:54.646+00', '2026-01-03 13:53:54.643+00', 0, 5, 1, true, false, false, '4c1d1e16-1831-fa8b-013f-f33b2fe57088', '07f8c5d3-b27f-413b-1ba0-1d86c34cb2bd', 'exchanged', 'exchange', NULL, 'old-24', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"exchanged","booking":"one","customer":"gus","units":[{"item":0,"section":"standing","quantity":2,"price":2000}],"total":4000,"difference":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.646Z","rev":24,"free":25', NULL),
	(25, 24, 12, 25, '2026-01-03 13:53:54.659+00', '2026-01-03 13:53:54.657+00', 0, 5, 1, true, false, false, '41d98c5e-9542-9f99-ba86-434db6d2d2d3', 'd7586860-e0fb-5825-8ba9-5ccba10eb7d1', 'held', 'hold', NULL, 'old-25', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-25","customer":"ida","cart":"k","units":[{"item":0,"section":"stalls","seats":["C-1"],"price":4500}],"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:54.659Z","decided_at":"2026-01-03T13:53:54.659Z","rev":25,"free":24', NULL),
	(26, 25, 12, 26, '2026-01-03 13:53:54.669+00', '2026-01-03 13:53:54.667+00', 0, 5, 1, true, false, false, '2b6026a2-c856-6d8f-fbd6-002e8b9aa207', 'cd4497f5-45da-2460-10a9-180821f34cca', 'held', 'hold', NULL, 'old-26', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-26","customer":"ida","cart":"k","units":[{"item":0,"section":"stalls","seats":["C-2"],"price":4500}],"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:54.669Z","decided_at":"2026-01-03T13:53:54.669Z","rev":26,"free":23', NULL),
	(27, 26, 12, 25, '2026-01-03 13:53:54.678+00', '2026-01-03 13:53:54.674+00', 0, 5, 1, true, false, false, '0f9e5a0c-259d-2246-8dc7-8adb0d01616e', '5289a91b-a3f9-c2e9-0093-a9c317090685', 'confirmed', 'confirm', NULL, 'old-27', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","customer":"ida","cart":"k","units":[{"item":0,"section":"stalls","seats":["C-1"],"price":4500,"booking":"old-25"},{"item":0,"section":"stalls","seats":["C-2"],"price":4500,"booking":"old-26"}],"total":9000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.678Z","rev":27,"free":23', '{25,26}'),
	(28, 27, 12, NULL, '2026-01-03 13:53:54.688+00', '2026-01-03 13:53:54.684+00', 0, 5, 1, true, false, false, '48f4444b-4555-f511-0aa4-84a070deb32a', '7eca488a-0c1c-f78e-7e3b-66f59bd376ab', 'defined', 'define', NULL, 'old-28', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"defined","chart":"sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e","decided_at":"2026-01-03T13:53:54.688Z","rev":28,"free":23', NULL),
	(29, 28, 12, 29, '2026-01-03 13:53:54.698+00', '2026-01-03 13:53:54.695+00', 0, 5, 1, true, false, false, '3c482346-f375-0276-77fa-8a0d6830a327', 'e057c2bf-7d2a-d73f-ee45-e146d55dccff', 'confirmed', 'book', NULL, 'back', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"back","customer":"jon","units":[{"item":0,"section":"stalls","seats":["C-3"],"price":4500}],"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:54.698Z","rev":29,"free":22', NULL),
	(30, 29, 12, 29, '2026-01-03 13:53:54.721+00', '2026-01-03 13:53:54.72+00', 0, 5, 1, true, false, false, '7d0ccd1d-136f-9764-e396-e58581aa651d', 'cc5fd9d0-f58b-44f1-f488-25627d960145', 'cancelled', 'cancel', NULL, 'old-30', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"cancelled","booking":"back","customer":"jon","returned":[{"item":0,"section":"stalls","seats":["C-3"],"price":4500}],"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:54.721Z","rev":30,"free":23', NULL),
	(31, 30, 12, NULL, '2026-01-03 13:53:54.74+00', '2026-01-03 13:53:54.735+00', 0, 5, 1, true, false, false, 'f37e3e22-b27e-ebd5-083b-853fd0ad9fc2', 'acb9f6e5-3d71-8c4f-8430-4d524a30e76c', 'refused', 'hold', 'unit_taken', 'old-31', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"unit_taken","retryable":true,"customer":"zoe","items":[{"item":0,"asked":1,"given":0,"reason":"unit_taken","taken":["A-1"]}],"decided_at":"2026-01-03T13:53:54.740Z","rev":30,"free":23', NULL),
	(32, 31, NULL, NULL, '2026-01-03 13:53:54.746+00', '2026-01-03 13:53:54.745+00', 0, 5, 1, false, false, false, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 'invalid', 'hold', 'malformed', 'old-32', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"invalid","reason":"malformed","retryable":false,"detail":"items: missing, required by op \"hold\"","decided_at":"2026-01-03T13:53:54.746Z"', NULL),
	(33, 32, 12, 33, '2026-01-03 13:53:54.773+00', '2026-01-03 13:53:54.756+00', 0, 5, 1, true, false, false, '7d429687-b60d-376f-beac-c88ff122be5d', '70b65545-9b63-22b2-0fdb-3cb4ecaa248a', 'held', 'hold', NULL, 'old-33', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-33","customer":"c9","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","expires_at":"2026-01-03T14:08:54.773Z","decided_at":"2026-01-03T13:53:54.773Z","rev":33,"free":22', NULL),
	(34, 33, 12, NULL, '2026-01-03 13:53:54.811+00', '2026-01-03 13:53:54.81+00', 0, 5, 1, true, false, false, 'dd6fece5-45a5-630f-17b6-7f8663b71248', '4722557a-f67c-fe83-a712-e0d618c981b7', 'refused', 'cancel', 'not_confirmed', 'old-34', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"not_confirmed","retryable":false,"booking":"old-33","customer":"c9","decided_at":"2026-01-03T13:53:54.811Z","rev":33,"free":22', NULL),
	(35, 34, 12, 33, '2026-01-03 13:53:54.824+00', '2026-01-03 13:53:54.822+00', 0, 5, 1, true, false, false, 'c939d3c3-3dae-48be-bd71-462aa331edb6', 'fe45a248-d7a8-0db6-0517-07748321212e', 'released', 'release', NULL, 'old-35', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"released","booking":"old-33","customer":"c9","returned":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:54.824Z","rev":35,"free":23', NULL),
	(36, 35, 15, 36, '2026-01-03 13:53:54.831+00', '2026-01-03 13:53:54.83+00', 0, 5, 1, true, false, false, '1ab53806-7aef-1b32-20b2-abc24ec550e8', 'd48683c2-64af-640b-2761-dd4ac96991d6', 'held', 'hold', NULL, 'old-36', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"held","booking":"old-36","customer":"c2","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[0],"price":12900}],"total":25800,"currency":"GBP","expires_at":"2026-01-03T14:08:54.831Z","decided_at":"2026-01-03T13:53:54.831Z","rev":36,"free":12', NULL),
	(37, 36, 15, 37, '2026-01-03 13:53:54.844+00', '2026-01-03 13:53:54.843+00', 0, 5, 1, true, false, false, '512193b9-aa16-67bd-38d5-e9476b414174', 'b26109b7-6b02-d743-26b4-353761c2b793', 'held', 'hold', NULL, 'old-37', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"held","booking":"old-37","customer":"c4","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[1],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[1],"price":12900}],"total":25800,"currency":"GBP","expires_at":"2026-01-03T14:08:54.844Z","decided_at":"2026-01-03T13:53:54.844Z","rev":37,"free":10', NULL),
	(38, 37, 12, NULL, '2026-01-03 13:53:54.858+00', '2026-01-03 13:53:54.856+00', 0, 5, 1, true, false, false, '2d23a239-f0ce-187c-91b8-50f138d782a3', 'fe45a248-d7a8-0db6-0517-07748321212e', 'refused', 'release', 'already_released', 'old-38', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-33","customer":"c9","decided_at":"2026-01-03T13:53:54.858Z","rev":35,"free":23', NULL),
	(39, 38, 12, 39, '2026-01-03 13:53:54.864+00', '2026-01-03 13:53:54.862+00', 0, 5, 1, true, false, false, '8acc49ed-5e8a-9363-30bd-1aef3e087913', 'a5c106fa-46b2-01bb-b2db-38cc8f3d1836', 'held', 'hold', NULL, 'old-39', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-39","customer":"c4","units":[{"item":0,"section":"stalls","seats":["B-4"],"price":4500}],"together":true,"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:54.864Z","decided_at":"2026-01-03T13:53:54.864Z","rev":39,"free":22', NULL),
	(40, 39, 12, NULL, '2026-01-03 13:53:54.883+00', '2026-01-03 13:53:54.882+00', 0, 5, 1, true, false, false, '407e1e9c-d070-c393-a4ec-c46b32ca7ae8', '4722557a-f67c-fe83-a712-e0d618c981b7', 'refused', 'cancel', 'already_released', 'old-40', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-33","customer":"c9","decided_at":"2026-01-03T13:53:54.883Z","rev":39,"free":22', NULL),
	(41, 40, 15, 36, '2026-01-03 13:53:54.913+00', '2026-01-03 13:53:54.906+00', 0, 5, 1, true, false, false, '98e7b8d4-2051-0243-f287-86587a54d6f8', '73022d46-f6b0-b8c2-776f-462d112c49c6', 'released', 'release', NULL, 'old-41', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"released","booking":"old-36","customer":"c2","returned":[{"item":0,"room":"double","night":"2100-12-24","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[0],"price":12900}],"total":25800,"currency":"GBP","decided_at":"2026-01-03T13:53:54.913Z","rev":41,"free":12', NULL),
	(42, 41, 15, 42, '2026-01-03 13:53:54.929+00', '2026-01-03 13:53:54.928+00', 0, 5, 1, true, false, false, '05168588-1db5-5ad6-5d59-cd7fe74754b9', '31e302c5-a9b7-5341-95ae-0df5acd0977d', 'confirmed', 'book', NULL, 'old-42', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"confirmed","booking":"old-42","customer":"c5","units":[{"item":0,"room":"double","night":"2100-12-23","tokens":[2],"price":12900},{"item":0,"room":"double","night":"2100-12-24","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[0],"price":12900}],"total":38700,"currency":"GBP","decided_at":"2026-01-03T13:53:54.929Z","rev":42,"free":9', NULL),
	(43, 42, 15, NULL, '2026-01-03 13:53:54.954+00', '2026-01-03 13:53:54.953+00', 0, 5, 1, true, false, false, '82abcad6-00dc-8c90-1f8d-c28edf60563c', 'edbecef7-7b98-733e-c763-d3fa4b87e8bc', 'refused', 'cancel', 'already_released', 'old-43', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-36","customer":"c2","decided_at":"2026-01-03T13:53:54.954Z","rev":42,"free":9', NULL),
	(44, 43, 15, NULL, '2026-01-03 13:53:54.994+00', '2026-01-03 13:53:54.975+00', 0, 5, 1, true, false, false, '46eeba62-cf42-7986-f8ab-039904b009ce', 'ac3b0d47-280f-8ad0-dcf2-fc70cd82daec', 'refused', 'book', 'not_enough', 'old-44', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c8","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-23"]}],"decided_at":"2026-01-03T13:53:54.994Z","rev":42,"free":9', NULL),
	(45, 44, 12, NULL, '2026-01-03 13:53:55.005+00', '2026-01-03 13:53:55.001+00', 0, 5, 1, true, false, false, '873e9ef5-1a14-21ca-0e11-90fe467abdd2', '90d47f9a-ed2e-fe7a-6369-7997340cdfce', 'refused', 'confirm', 'already_released', 'old-45', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-33","customer":"c9","decided_at":"2026-01-03T13:53:55.005Z","rev":39,"free":22', NULL),
	(46, 45, 15, NULL, '2026-01-03 13:53:55.024+00', '2026-01-03 13:53:55.016+00', 0, 5, 1, true, false, false, 'fe1aab76-c242-e5d5-f25e-e115e7e5494a', 'a168517f-dbb0-aff6-832e-6cbb57a99345', 'refused', 'book', 'not_enough', 'old-46', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c1","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-21","2100-12-23"]}],"decided_at":"2026-01-03T13:53:55.024Z","rev":42,"free":9', NULL),
	(47, 46, 6, 47, '2026-01-03 13:53:55.039+00', '2026-01-03 13:53:55.03+00', 0, 5, 1, true, false, false, '50d93e0e-89c8-9253-fd80-fac56d5d930a', '936dd6cf-13f8-482c-8009-660e9ce0f8e8', 'confirmed', 'book', NULL, 'old-47', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-47","customer":"c6","units":[{"item":0,"section":"floor","quantity":3,"price":1000}],"total":3000,"decided_at":"2026-01-03T13:53:55.039Z","rev":47,"free":37', NULL),
	(48, 47, 6, 48, '2026-01-03 13:53:55.045+00', '2026-01-03 13:53:55.044+00', 0, 5, 1, true, false, false, '521e9abf-b653-b23f-10e3-de99ffa72b34', '65097cc0-cc8b-c0ac-8ae9-fbc04d3cc86b', 'confirmed', 'book', NULL, 'old-48', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-48","customer":"c2","units":[{"item":0,"section":"floor","quantity":1,"price":1000}],"total":1000,"decided_at":"2026-01-03T13:53:55.045Z","rev":48,"free":36', NULL),
	(49, 48, 15, 42, '2026-01-03 13:53:55.062+00', '2026-01-03 13:53:55.057+00', 0, 5, 1, true, false, false, '46a363de-ca43-6585-ce3e-7a4465125f14', '52bfffb6-70bd-2014-294d-59398fe39b17', 'cancelled', 'cancel', NULL, 'old-49', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"cancelled","booking":"old-42","customer":"c5","returned":[{"item":0,"room":"double","night":"2100-12-23","tokens":[2],"price":12900},{"item":0,"room":"double","night":"2100-12-24","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[0],"price":12900}],"total":38700,"currency":"GBP","decided_at":"2026-01-03T13:53:55.062Z","rev":49,"free":12', NULL),
	(50, 49, 6, 50, '2026-01-03 13:53:55.07+00', '2026-01-03 13:53:55.068+00', 0, 5, 1, true, false, false, '5398c0ad-96dc-a206-a75f-33a4f74505b5', 'e5c6947a-116b-babd-6e82-c35b067cb0ea', 'held', 'hold', NULL, 'old-50', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"held","booking":"old-50","customer":"c8","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"expires_at":"2026-01-03T14:08:55.070Z","decided_at":"2026-01-03T13:53:55.070Z","rev":50,"free":34', NULL),
	(51, 50, 6, 50, '2026-01-03 13:53:55.081+00', '2026-01-03 13:53:55.08+00', 0, 5, 1, true, false, false, '4e7173a0-e6b5-e56b-af08-9269fd00224e', 'a8af46d6-3798-125b-7a13-4f902f50b47d', 'confirmed', 'confirm', NULL, 'old-51', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-50","customer":"c8","units":[{"item":0,"section":"floor","quantity":2,"price":1000}],"total":2000,"decided_at":"2026-01-03T13:53:55.081Z","rev":51,"free":34', NULL),
	(52, 51, 12, 52, '2026-01-03 13:53:55.104+00', '2026-01-03 13:53:55.094+00', 0, 5, 1, true, false, false, '59e65101-c484-bd7f-87c3-64123943640d', '2da20c57-dee2-e615-018f-48068f8abe77', 'confirmed', 'book', NULL, 'old-52', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-52","customer":"c7","units":[{"item":0,"section":"stalls","seats":["C-5"],"price":4500}],"together":true,"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:55.104Z","rev":52,"free":21', NULL),
	(53, 52, 15, NULL, '2026-01-03 13:53:55.114+00', '2026-01-03 13:53:55.11+00', 0, 5, 1, true, false, false, 'e79d3c51-373a-c2cd-5ade-9aae68295c47', '0bb57818-ea29-b13f-3492-1d12023073d5', 'refused', 'book', 'not_enough', 'old-53', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c9","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-21"]}],"decided_at":"2026-01-03T13:53:55.114Z","rev":49,"free":12', NULL),
	(54, 53, 15, 37, '2026-01-03 13:53:55.121+00', '2026-01-03 13:53:55.119+00', 0, 5, 1, true, false, false, 'e1c760c7-4ea7-477c-5b1a-54e171cfb5c4', '4a6cc95e-39a5-41df-34fd-50b047ec3ad8', 'released', 'release', NULL, 'old-54', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"released","booking":"old-37","customer":"c4","returned":[{"item":0,"room":"double","night":"2100-12-24","tokens":[1],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[1],"price":12900}],"total":25800,"currency":"GBP","decided_at":"2026-01-03T13:53:55.121Z","rev":54,"free":14', NULL),
	(55, 54, 6, 55, '2026-01-03 13:53:55.128+00', '2026-01-03 13:53:55.125+00', 0, 5, 1, true, false, false, '9fff5972-9307-a897-099e-6a6d0cd12c0a', 'ecfbd1d6-94e2-72e6-7e35-64afaae999ae', 'confirmed', 'book', NULL, 'old-55', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-55","customer":"c4","units":[{"item":0,"section":"floor","quantity":3,"price":1000}],"total":3000,"decided_at":"2026-01-03T13:53:55.128Z","rev":55,"free":31', NULL),
	(56, 55, 15, NULL, '2026-01-03 13:53:55.142+00', '2026-01-03 13:53:55.136+00', 0, 5, 1, true, false, false, '7e1cac00-cbd7-2b54-b935-900da3512a4e', 'c65c1b91-6557-5d82-f552-4f8a369771fe', 'refused', 'confirm', 'already_released', 'old-56', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-37","customer":"c4","decided_at":"2026-01-03T13:53:55.142Z","rev":54,"free":14', NULL),
	(57, 56, 12, 39, '2026-01-03 13:53:55.154+00', '2026-01-03 13:53:55.149+00', 0, 5, 1, true, false, false, '2dc630d4-23b7-68d2-8549-12f86d5909fc', '5b4e4b79-4f6a-1597-df22-6c8ef1cd8118', 'confirmed', 'confirm', NULL, 'old-57', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-39","customer":"c4","units":[{"item":0,"section":"stalls","seats":["B-4"],"price":4500}],"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:55.154Z","rev":57,"free":21', NULL),
	(58, 57, 12, 58, '2026-01-03 13:53:55.163+00', '2026-01-03 13:53:55.161+00', 0, 5, 1, true, false, false, '4012df25-b2dd-294f-268d-56d6cbd18bfd', 'f84fdb56-c4f1-cd8e-5691-e8691f85459b', 'held', 'hold', NULL, 'old-58', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-58","customer":"c7","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","expires_at":"2026-01-03T14:08:55.163Z","decided_at":"2026-01-03T13:53:55.163Z","rev":58,"free":20', NULL),
	(59, 58, 12, 59, '2026-01-03 13:53:55.168+00', '2026-01-03 13:53:55.167+00', 0, 5, 1, true, false, false, 'dd904781-2d3a-c2ba-95b0-b7e0753545e9', '37ca24b3-51ce-50a2-8c30-4ea7ef58097c', 'confirmed', 'book', NULL, 'old-59', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-59","customer":"c9","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.168Z","rev":59,"free":19', NULL),
	(60, 59, 15, NULL, '2026-01-03 13:53:55.192+00', '2026-01-03 13:53:55.19+00', 0, 5, 1, true, false, false, 'e5d929cc-8696-8042-beba-eaec3294ad5b', '6774962e-80ae-c95a-b08f-941e8bf4f4bb', 'refused', 'release', 'unknown_booking', 'old-60', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"unknown_booking","retryable":false,"booking":"old-46","customer":"c1","decided_at":"2026-01-03T13:53:55.192Z","rev":54,"free":14', NULL),
	(61, 60, 12, NULL, '2026-01-03 13:53:55.205+00', '2026-01-03 13:53:55.204+00', 0, 5, 1, true, false, false, '43261b72-85d7-9a16-7bfe-35716cb38f64', '34e81c1f-7685-bba8-80d6-1c4aad103375', 'refused', 'release', 'already_confirmed', 'old-61', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"already_confirmed","retryable":false,"booking":"old-52","customer":"c7","decided_at":"2026-01-03T13:53:55.205Z","rev":59,"free":19', NULL),
	(62, 61, 15, NULL, '2026-01-03 13:53:55.221+00', '2026-01-03 13:53:55.216+00', 0, 5, 1, true, false, false, 'c573f1c6-e429-f2da-2719-c1a652235d92', '582095dc-9e9b-65c0-3951-e96c0ad34209', 'refused', 'confirm', 'already_released', 'old-62', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"already_released","retryable":false,"booking":"old-36","customer":"c2","decided_at":"2026-01-03T13:53:55.221Z","rev":54,"free":14', NULL),
	(63, 62, 12, 63, '2026-01-03 13:53:55.235+00', '2026-01-03 13:53:55.235+00', 0, 5, 1, true, false, false, '787a1e49-5e1c-5457-177c-ca1f6e8fa5bf', '957a04c8-dc02-2471-adde-716beec5cef2', 'held', 'hold', NULL, 'old-63', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-63","customer":"c1","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","expires_at":"2026-01-03T14:08:55.235Z","decided_at":"2026-01-03T13:53:55.235Z","rev":63,"free":18', NULL),
	(64, 63, 12, 64, '2026-01-03 13:53:55.247+00', '2026-01-03 13:53:55.244+00', 0, 5, 1, true, false, false, '73fcd418-5c17-13df-039c-6c951ff14975', 'b876532b-e676-525f-4a26-ae5eb1abf500', 'held', 'hold', NULL, 'old-64', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-64","customer":"c4","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","expires_at":"2026-01-03T14:08:55.247Z","decided_at":"2026-01-03T13:53:55.247Z","rev":64,"free":17', NULL),
	(65, 64, 6, 65, '2026-01-03 13:53:55.26+00', '2026-01-03 13:53:55.258+00', 0, 5, 1, true, false, false, '82a670f8-1991-feba-1f55-9e18d99ff86a', '17259ef2-db10-6951-1ecb-44d7c8fba22a', 'confirmed', 'book', NULL, 'old-65', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-65","customer":"c8","units":[{"item":0,"section":"floor","quantity":3,"price":1000}],"total":3000,"decided_at":"2026-01-03T13:53:55.260Z","rev":65,"free":28', NULL),
	(66, 65, 12, 63, '2026-01-03 13:53:55.268+00', '2026-01-03 13:53:55.267+00', 0, 5, 1, true, false, false, '95fc8484-4e55-e998-578b-18ec427f9a0e', '3d442782-144a-f52b-4809-987924de1282', 'released', 'release', NULL, 'old-66', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"released","booking":"old-63","customer":"c1","returned":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.268Z","rev":66,"free":18', NULL),
	(67, 66, 12, 67, '2026-01-03 13:53:55.293+00', '2026-01-03 13:53:55.278+00', 0, 5, 1, true, false, false, '63c5ba00-b60b-cc5a-4b20-63f29ce4f89e', '80d34317-06db-a21c-c8db-0d1aa4c5760b', 'confirmed', 'book', NULL, 'old-67', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-67","customer":"c5","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.293Z","rev":67,"free":17', NULL),
	(68, 67, 12, 68, '2026-01-03 13:53:55.318+00', '2026-01-03 13:53:55.313+00', 0, 5, 1, true, false, false, 'a25989ba-b9c1-65fa-1562-d3c26d5ce6a2', '9a8d865a-4ec1-799e-0e24-914478df1871', 'confirmed', 'book', NULL, 'old-68', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-68","customer":"c3","units":[{"item":0,"section":"stalls","seats":["C-6"],"price":4500}],"together":true,"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:55.318Z","rev":68,"free":16', NULL),
	(69, 68, 12, 69, '2026-01-03 13:53:55.346+00', '2026-01-03 13:53:55.342+00', 0, 5, 1, true, false, false, '341608d4-4221-4361-57c9-4b3e0de4fa3a', '37ca24b3-51ce-50a2-8c30-4ea7ef58097c', 'confirmed', 'book', NULL, 'old-69', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-69","customer":"c9","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.346Z","rev":69,"free":15', NULL),
	(70, 69, 15, NULL, '2026-01-03 13:53:55.354+00', '2026-01-03 13:53:55.351+00', 0, 5, 1, true, false, false, 'ccd39db4-d3a5-ad23-4881-5db57d6c34a5', '7c03ced9-35a3-119a-6c2c-f7f4879d6863', 'refused', 'release', 'unknown_booking', 'old-70', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"unknown_booking","retryable":false,"booking":"old-44","customer":"c8","decided_at":"2026-01-03T13:53:55.354Z","rev":54,"free":14', NULL),
	(71, 70, 12, 71, '2026-01-03 13:53:55.364+00', '2026-01-03 13:53:55.361+00', 0, 5, 1, true, false, false, 'e97e12a7-634d-50c7-ad8d-643344efb879', 'c7ad3b38-3005-c433-f1e0-b4216f1dfb76', 'held', 'hold', NULL, 'old-71', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-71","customer":"c7","units":[{"item":0,"section":"stalls","seats":["A-3","A-4"],"price":4500}],"together":true,"total":9000,"currency":"EUR","expires_at":"2026-01-03T14:08:55.364Z","decided_at":"2026-01-03T13:53:55.364Z","rev":71,"free":13', NULL),
	(72, 71, 15, 72, '2026-01-03 13:53:55.373+00', '2026-01-03 13:53:55.372+00', 0, 5, 1, true, false, false, 'ece67fc2-e368-fd75-dc86-45baa465a5fe', '21c3bc91-7e22-dbe1-86eb-a8d55c483f80', 'confirmed', 'book', NULL, 'old-72', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"confirmed","booking":"old-72","customer":"c1","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[0],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[0],"price":12900}],"total":25800,"currency":"GBP","decided_at":"2026-01-03T13:53:55.373Z","rev":72,"free":12', NULL),
	(73, 72, 12, 73, '2026-01-03 13:53:55.378+00', '2026-01-03 13:53:55.377+00', 0, 5, 1, true, false, false, '4a645d50-3fc9-ba9a-c30b-5bcb98a2830e', '674a4ee6-8e6a-9b4d-8fe4-f43ea885ea19', 'confirmed', 'book', NULL, 'old-73', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-73","customer":"c8","units":[{"item":0,"section":"stalls","seats":["B-2","B-3"],"price":4500}],"together":true,"total":9000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.378Z","rev":73,"free":11', NULL),
	(74, 73, 12, 74, '2026-01-03 13:53:55.386+00', '2026-01-03 13:53:55.385+00', 0, 5, 1, true, false, false, '1fffe17e-99ad-a83d-8982-c34caaa02270', '098d0ecf-bc82-9586-f889-18542fbe9203', 'held', 'hold', NULL, 'old-74', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-74","customer":"c4","units":[{"item":0,"section":"stalls","seats":["B-5","B-6"],"price":4500}],"together":true,"total":9000,"currency":"EUR","expires_at":"2026-01-03T14:08:55.386Z","decided_at":"2026-01-03T13:53:55.386Z","rev":74,"free":9', NULL),
	(75, 74, 12, 75, '2026-01-03 13:53:55.391+00', '2026-01-03 13:53:55.39+00', 0, 5, 1, true, false, false, 'c87f7d40-871b-23b3-cf25-cfd506c74cf3', '5fda9c73-0aa6-8633-e70c-c7f54a412a07', 'confirmed', 'book', NULL, 'old-75', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"confirmed","booking":"old-75","customer":"c6","units":[{"item":0,"section":"standing","quantity":1,"price":2000}],"total":2000,"currency":"EUR","decided_at":"2026-01-03T13:53:55.391Z","rev":75,"free":8', NULL),
	(76, 75, 15, NULL, '2026-01-03 13:53:55.401+00', '2026-01-03 13:53:55.399+00', 0, 5, 1, true, false, false, 'cce5eba2-2be0-079f-b6d9-9155f0b2d34d', 'c2ecb19b-8002-dc7c-147a-b47d9cc6567b', 'refused', 'hold', 'not_enough', 'old-76', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c8","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-21"]}],"decided_at":"2026-01-03T13:53:55.401Z","rev":72,"free":12', NULL),
	(77, 76, 12, NULL, '2026-01-03 13:53:55.419+00', '2026-01-03 13:53:55.417+00', 0, 5, 1, true, false, false, '1b9dc2c0-9790-99a3-05cf-6861251ad274', 'a1db0dee-bbd3-aaf9-4498-62e55d59e6de', 'refused', 'book', 'not_enough', 'old-77', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c8","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0}],"decided_at":"2026-01-03T13:53:55.419Z","rev":75,"free":8', NULL),
	(78, 77, 12, 78, '2026-01-03 13:53:55.425+00', '2026-01-03 13:53:55.424+00', 0, 5, 1, true, false, false, '49336742-b213-6809-5152-f35f695b55c6', '5e8aa18c-8507-b40f-5310-ce646999a193', 'held', 'hold', NULL, 'old-78', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-78","customer":"c1","units":[{"item":0,"section":"stalls","seats":["C-4"],"price":4500}],"together":true,"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:55.425Z","decided_at":"2026-01-03T13:53:55.425Z","rev":78,"free":7', NULL),
	(79, 78, 12, 78, '2026-01-03 13:53:55.434+00', '2026-01-03 13:53:55.433+00', 0, 5, 1, true, false, false, '904bed55-f073-fe07-1715-a99161e71fd3', '679e2415-6e28-8e81-9cbe-c4acb045830e', 'released', 'release', NULL, 'old-79', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"released","booking":"old-78","customer":"c1","returned":[{"item":0,"section":"stalls","seats":["C-4"],"price":4500}],"total":4500,"currency":"EUR","decided_at":"2026-01-03T13:53:55.434Z","rev":79,"free":8', NULL),
	(80, 79, 15, 80, '2026-01-03 13:53:55.447+00', '2026-01-03 13:53:55.446+00', 0, 5, 1, true, false, false, 'a9180fe1-dab1-75ea-b005-656fad5bcc88', 'ee9f3bea-8242-5198-ce23-64e14b0b64c3', 'confirmed', 'book', NULL, 'old-80', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"confirmed","booking":"old-80","customer":"c3","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[1],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[1],"price":12900}],"total":25800,"currency":"GBP","decided_at":"2026-01-03T13:53:55.447Z","rev":80,"free":10', NULL),
	(81, 80, 12, NULL, '2026-01-03 13:53:55.456+00', '2026-01-03 13:53:55.454+00', 0, 5, 1, true, false, false, '05f375e7-2975-ad6c-8f4c-b2e22365eb3e', 'f84fdb56-c4f1-cd8e-5691-e8691f85459b', 'refused', 'hold', 'not_enough', 'old-81', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c7","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0}],"decided_at":"2026-01-03T13:53:55.456Z","rev":79,"free":8', NULL),
	(82, 81, 6, 82, '2026-01-03 13:53:55.466+00', '2026-01-03 13:53:55.465+00', 0, 5, 1, true, false, false, '5b1934c1-886e-bbea-685d-8a3a7a985b75', 'd7e37ed3-56c0-c35f-a1c5-7257b6c509a0', 'held', 'hold', NULL, 'old-82', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"held","booking":"old-82","customer":"c5","units":[{"item":0,"section":"floor","quantity":1,"price":1000}],"total":1000,"expires_at":"2026-01-03T14:08:55.466Z","decided_at":"2026-01-03T13:53:55.466Z","rev":82,"free":27', NULL),
	(83, 82, 15, 83, '2026-01-03 13:53:55.481+00', '2026-01-03 13:53:55.48+00', 0, 5, 1, true, false, false, '37bf0e8d-7951-112a-f746-723e6f0a9061', '253f3c03-33a6-b1e3-0da3-a4988221d8c5', 'held', 'hold', NULL, 'old-83', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"held","booking":"old-83","customer":"c1","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[2],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[2],"price":12900}],"total":25800,"currency":"GBP","expires_at":"2026-01-03T14:08:55.481Z","decided_at":"2026-01-03T13:53:55.481Z","rev":83,"free":8', NULL),
	(84, 83, 15, NULL, '2026-01-03 13:53:55.494+00', '2026-01-03 13:53:55.491+00', 0, 5, 1, true, false, false, '46811b6c-59fb-89c6-a769-7c286023c6a0', '5eb1cc3c-4996-b2b5-2197-88bab6ded118', 'refused', 'hold', 'not_enough', 'old-84', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c9","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-24","2100-12-25"]}],"decided_at":"2026-01-03T13:53:55.494Z","rev":83,"free":8', NULL),
	(85, 84, 15, 83, '2026-01-03 13:53:55.499+00', '2026-01-03 13:53:55.498+00', 0, 5, 1, true, false, false, '1f3278a7-9f21-b0bd-3565-383fb0fa2642', '0b782267-3c9d-5664-d1da-868882406f0b', 'confirmed', 'confirm', NULL, 'old-85', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"confirmed","booking":"old-83","customer":"c1","units":[{"item":0,"room":"double","night":"2100-12-24","tokens":[2],"price":12900},{"item":0,"room":"double","night":"2100-12-25","tokens":[2],"price":12900}],"total":25800,"currency":"GBP","decided_at":"2026-01-03T13:53:55.499Z","rev":85,"free":8', NULL),
	(86, 85, 12, 86, '2026-01-03 13:53:55.508+00', '2026-01-03 13:53:55.507+00', 0, 5, 1, true, false, false, 'd325b35f-f815-a78d-2d51-08d102a4a850', '90aa7478-9190-7fbd-37db-a896297f5631', 'held', 'hold', NULL, 'old-86', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-86","customer":"c3","units":[{"item":0,"section":"stalls","seats":["C-4"],"price":4500}],"together":true,"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:55.508Z","decided_at":"2026-01-03T13:53:55.508Z","rev":86,"free":7', NULL),
	(87, 86, 6, 87, '2026-01-03 13:53:55.52+00', '2026-01-03 13:53:55.519+00', 0, 5, 1, true, false, false, '389db5e5-38d2-415f-ffa1-2e5dc9f4e23b', 'b9866298-21ed-277c-fa54-5aa11d724f87', 'confirmed', 'book', NULL, 'old-87', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"confirmed","booking":"old-87","customer":"c2","units":[{"item":0,"section":"floor","quantity":3,"price":1000}],"total":3000,"decided_at":"2026-01-03T13:53:55.520Z","rev":87,"free":24', NULL),
	(88, 87, 6, 88, '2026-01-03 13:53:55.532+00', '2026-01-03 13:53:55.531+00', 0, 5, 1, true, false, false, 'b4231973-95f7-f0a3-7980-7203f8cb052d', '288c9419-77b0-24ba-8256-7c239ce2ad8a', 'held', 'hold', NULL, 'old-88', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"held","booking":"old-88","customer":"c2","units":[{"item":0,"section":"floor","quantity":1,"price":1000}],"total":1000,"expires_at":"2026-01-03T14:08:55.532Z","decided_at":"2026-01-03T13:53:55.532Z","rev":88,"free":23', NULL),
	(89, 88, 6, 89, '2026-01-03 13:53:55.542+00', '2026-01-03 13:53:55.54+00', 0, 5, 1, true, false, false, '2f479d3f-0ed9-d270-31fd-0f2c1a4a79a8', 'd7e37ed3-56c0-c35f-a1c5-7257b6c509a0', 'held', 'hold', NULL, 'old-89', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"held","booking":"old-89","customer":"c5","units":[{"item":0,"section":"floor","quantity":1,"price":1000}],"total":1000,"expires_at":"2026-01-03T14:08:55.542Z","decided_at":"2026-01-03T13:53:55.542Z","rev":89,"free":22', NULL),
	(90, 89, 6, 90, '2026-01-03 13:53:55.551+00', '2026-01-03 13:53:55.55+00', 0, 5, 1, true, false, false, 'ff6ed7c2-dfda-ab79-83a6-69aeca20c1f9', '2c78bb52-a569-8d22-de50-910789db12c9', 'held', 'hold', NULL, 'old-90', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"held","booking":"old-90","customer":"c8","units":[{"item":0,"section":"floor","quantity":3,"price":1000}],"total":3000,"expires_at":"2026-01-03T14:08:55.551Z","decided_at":"2026-01-03T13:53:55.551Z","rev":90,"free":19', NULL),
	(91, 90, 6, NULL, '2026-01-03 13:53:55.561+00', '2026-01-03 13:53:55.559+00', 0, 5, 1, true, false, false, '60179011-68df-4e37-235f-c52332f21bb2', '6ae6855a-5fc0-8a3c-c981-8417cf91fe9d', 'refused', 'release', 'already_confirmed', 'old-91', 'fair:first:0', '\x666169723a66697273743a30', NULL, NULL, '"outcome":"refused","reason":"already_confirmed","retryable":false,"booking":"old-47","customer":"c6","decided_at":"2026-01-03T13:53:55.561Z","rev":90,"free":19', NULL),
	(92, 91, 15, NULL, '2026-01-03 13:53:55.57+00', '2026-01-03 13:53:55.568+00', 0, 5, 1, true, false, false, '5f2a50be-03cf-680f-65ea-61d965c2c4ca', 'c37e9cab-a15a-b3c8-d874-3157b33b8b70', 'refused', 'hold', 'not_enough', 'old-92', 'hotel', '\x686f74656c', NULL, NULL, '"outcome":"refused","reason":"not_enough","retryable":true,"customer":"c4","items":[{"item":0,"asked":1,"given":0,"reason":"not_enough","free":0,"taken":["2100-12-21","2100-12-24","2100-12-25"]}],"decided_at":"2026-01-03T13:53:55.570Z","rev":85,"free":8', NULL),
	(93, 92, 3, NULL, '2026-01-03 13:53:55.586+00', '2026-01-03 13:53:55.585+00', 0, 5, 1, true, false, false, 'c5ef2b05-b11b-7629-f3fc-ae96e3a1549a', 'ccd505e8-5998-d5d7-8466-6ff9de6f5c7c', 'defined', 'close', NULL, 'old-93', 'over', '\x6f766572', NULL, NULL, '"outcome":"defined","decided_at":"2026-01-03T13:53:55.586Z","rev":93,"free":3', NULL),
	(94, 93, 12, NULL, '2026-01-03 13:53:55.598+00', '2026-01-03 13:53:55.597+00', 0, 5, 1, true, false, false, '045726d7-4d82-42b7-1790-f324e344b511', 'a27b861e-11b0-17a6-0f1a-4c601143f7c6', 'alive', 'probe', NULL, 'old-94', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"alive","currency":"EUR","pools":[{"section":"stalls","free":3,"held":6,"sold":9,"blocked":0,"total":18,"rates":{"standard":4500}},{"section":"balcony","free":4,"held":0,"sold":0,"blocked":1,"total":5,"rates":{"standard":3000}},{"section":"standing","free":0,"held":2,"sold":8,"blocked":0,"total":10,"rates":{"standard":2000}},{"product":"programme","free":0,"held":0,"sold":3,"blocked":0,"total":3,"rates":{"standard":500}}],"state":"open","timezone":"Europe/London","waiting":1,"decided_at":"2026-01-03T13:53:55.598Z","rev":86,"free":7', NULL),
	(95, 96, 12, 95, '2026-01-03 13:53:56.195+00', '2026-01-03 13:53:55.978+00', 0, 9, 1, true, false, false, '3984b939-25f2-22f2-7531-43eb6cabce7a', '0734e337-c839-cfbe-9238-a5b18a636210', 'held', 'hold', NULL, 'old-97', 'hall', '\x68616c6c', NULL, NULL, '"outcome":"held","booking":"old-97","customer":"hal","units":[{"item":0,"section":"stalls","seats":["C-8"],"price":4500}],"total":4500,"currency":"EUR","expires_at":"2026-01-03T14:08:56.195Z","decided_at":"2026-01-03T13:53:56.195Z","rev":95,"free":6', NULL);
INSERT INTO usher.former_owner VALUES
	('dan', 20);
INSERT INTO usher.partition_halt VALUES
	(0, 9, '2026-01-03 13:53:57.068825+00', 97, 'the request at offset 32 is not the one that was consumed: the topic was recreated', '2026-01-03 13:53:57.811762+00', 'usher_owner');
INSERT INTO usher.partition_skip VALUES
	(0, 8, 94, 96, 2, 95, 'as agreed with the box office', '2026-01-03 13:53:55.967536+00', 'usher_owner', 0);
INSERT INTO usher.partition_state VALUES
	(0, 1, 10, NULL, 96, '2026-01-03 13:53:56.195+00', 94, NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-03 13:53:56.183873+00');
INSERT INTO usher.partition_topic VALUES
	(0, 10, 'both', 97, 96, 94, 'Kafka was lost', '2026-01-03 13:53:57.811343+00', 'usher_owner');
INSERT INTO usher.pool VALUES
	(5, 3, 0, 'section', 'floor', NULL, NULL, 5, 1000, 0, NULL, NULL, 0, 2, 0),
	(7, 12, 0, 'seats', 'stalls', NULL, NULL, 18, 4500, 0, NULL, NULL, 0, 0, 0),
	(8, 12, 1, 'seats', 'balcony', NULL, NULL, 5, 3000, 0, NULL, NULL, 0, 0, 0),
	(9, 12, 2, 'section', 'standing', NULL, NULL, 10, 2000, 0, NULL, NULL, 2, 8, 0),
	(11, 15, 0, 'room', 'double', '2100-12-20', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(12, 15, 1, 'room', 'double', '2100-12-21', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(13, 15, 2, 'room', 'double', '2100-12-22', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(14, 15, 3, 'room', 'double', '2100-12-23', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(15, 15, 4, 'room', 'double', '2100-12-24', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(16, 15, 5, 'room', 'double', '2100-12-25', NULL, 3, 12900, 0, NULL, NULL, 0, 0, 0),
	(17, 15, 6, 'room', 'single', '2100-12-20', NULL, 2, 8000, 0, NULL, NULL, 0, 0, 0),
	(18, 15, 7, 'room', 'single', '2100-12-21', NULL, 2, 8000, 0, NULL, NULL, 0, 0, 0),
	(19, 15, 8, 'room', 'single', '2100-12-22', NULL, 2, 8000, 0, NULL, NULL, 0, 0, 0),
	(10, 12, 3, 'product', 'programme', NULL, 'Programme', 3, 500, 0, NULL, NULL, 0, 3, 0),
	(6, 6, 0, 'section', 'floor', NULL, NULL, 50, 1000, 0, NULL, NULL, 6, 25, 0);
INSERT INTO usher.pruned VALUES
	(1, 0, 'past', 6, '2024-02-28 13:53:52.646+00', 93, 3, 1, 0, '2026-01-03 13:53:55.744232+00', 'usher_owner', '2026-01-03 13:53:55.75104+00');
INSERT INTO usher.resource VALUES
	(15, 0, 'hotel', 'open', NULL, NULL, NULL, NULL, 'GBP', NULL, NULL, NULL, 85, NULL, NULL, NULL, NULL, NULL, NULL, false),
	(6, 0, 'fair:first:0', 'open', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 90, NULL, NULL, NULL, NULL, NULL, NULL, false),
	(3, 0, 'over', 'closed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 93, NULL, NULL, NULL, NULL, NULL, NULL, false),
	(12, 0, 'hall', 'open', 'Hamlet', NULL, NULL, 'Europe/London', 'EUR', NULL, NULL, NULL, 95, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', NULL, NULL, NULL, '{"limits":{"units_per_customer":8}}', NULL, false);
INSERT INTO usher.schema_compatible VALUES
	(15, 14),
	(16, 14),
	(17, 14),
	(18, 14),
	(19, 14);
INSERT INTO usher.schema_migration VALUES
	(1, '001_first_light.sql', 'd939a4568fa7c671e919c684f475ac3c7f07f3ee2cf62dd490e969734f48e85e', '2026-01-03 13:53:50.538481+00', 'usher_owner'),
	(2, '002_whole_domain.sql', '5e3e8768132ca0fce71d38adce87b31ab3c33d86f443c98723e85c545c2c06a7', '2026-01-03 13:53:50.639433+00', 'usher_owner'),
	(3, '003_lean_batches.sql', '7edb1ba0eaab008784e20d54acf0ad18b4411673d4a93a548556d6c97becdd01', '2026-01-03 13:53:50.648906+00', 'usher_owner'),
	(4, '004_counted_pools.sql', '187a0ca6f27f7860ce08588e917bc80e29836a428905b0164852e5ab5cb7f26f', '2026-01-03 13:53:50.671803+00', 'usher_owner'),
	(5, '005_clock_reset.sql', 'be58a5eea9dc19a604178d9ed951bef1923c103f951dea9b6342a35cafcc7dc1', '2026-01-03 13:53:50.697859+00', 'usher_owner'),
	(6, '006_bounded_loads.sql', '985dcedf1048d3f787d92d9cd5fc526cd517ed06879c210cea30cc1607038c45', '2026-01-03 13:53:50.71001+00', 'usher_owner'),
	(7, '007_views.sql', '31a4b5b57d2b3cc843d2753f6410ada220378f19d0867f394922872b875187b8', '2026-01-03 13:53:50.82068+00', 'usher_owner'),
	(8, '008_sellable.sql', '193f3c270a24316644b0d60fb5e05e58ff32a29107ba0c53eac9f28db227fb77', '2026-01-03 13:53:50.832218+00', 'usher_owner'),
	(9, '009_published_alone.sql', '38f054310bc88d2ee899ce8849595b5b84084f9edf4b9aa054c96360a7da5b13', '2026-01-03 13:53:50.835536+00', 'usher_owner'),
	(10, '010_standing.sql', 'c89943ace3a78f9c0a78212e25b0b63d827c3849b3836035bbb57d65009c8eb4', '2026-01-03 13:53:50.849586+00', 'usher_owner'),
	(11, '011_operated.sql', '43cd9e97dde0089c9457d8f105a48e78e815fc6e2b4feaf04baca1f8bd25180a', '2026-01-03 13:53:50.863143+00', 'usher_owner'),
	(12, '012_pruned.sql', '828510b0950c0e19681e0161eee241f4f75b20f0ae170469b00432c9e890313e', '2026-01-03 13:53:50.874514+00', 'usher_owner'),
	(13, '013_sold_at.sql', '890554fa9f16bca76236579578e63a45afdcb9c9e7080f9606ec9ed7ac337905', '2026-01-03 13:53:50.910425+00', 'usher_owner'),
	(14, '014_rolling.sql', '8d249b74ec42ecb33b942b925b4f27dae37f7ab53727d20a357bf4ad6f30c082', '2026-01-03 13:53:50.918852+00', 'usher_owner'),
	(15, '015_new_topics.sql', '856199a6a0b0ad3824a0d45451bdfb072c01b3795d95c8d92b4a01888b8c771a', '2026-01-03 13:53:50.934261+00', 'usher_owner'),
	(16, '016_pools_in_order.sql', 'bc3aa25e10b9f576406b12e50a6a44fc703d8eb7c3d94af665ee987f05f8acc1', '2026-01-03 13:53:50.948036+00', 'usher_owner'),
	(17, '017_topics_in_use.sql', '5a5ec72f2efa2ff0a9bceb95695c96789c60434f971290fcb771b82eb32e288f', '2026-01-03 13:53:50.953502+00', 'usher_owner'),
	(18, '018_kept_until_published.sql', 'bac100d6d2b3fef8bd152685685257d5eb3f42369e24994a2f5c9e1ae1452787', '2026-01-03 13:53:50.960325+00', 'usher_owner'),
	(19, '019_readers_shut_out.sql', '3e18175e58386d8574321da4b4c21d639f17e05b77762598a0541346a449b47f', '2026-01-03 13:53:50.964575+00', 'usher_owner');
INSERT INTO usher.seat_row VALUES
	(0, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', 'stalls', 0, 4, 'A', 1, NULL),
	(0, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', 'stalls', 4, 6, 'B', 1, NULL),
	(0, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', 'stalls', 10, 8, 'C', 1, NULL),
	(0, 'sha256:45798689fe9198b7a7f6f8ece77aa7e659aba36524f9b9fb57de24107fca106e', 'balcony', 0, 5, 'BA', 11, NULL);
ALTER TABLE ONLY usher.allocation
    ADD CONSTRAINT allocation_pkey PRIMARY KEY (pool, unit) WITH (fillfactor='80');
ALTER TABLE ONLY usher.booking
    ADD CONSTRAINT booking_pkey PRIMARY KEY (no);
ALTER TABLE ONLY usher.cart_decision
    ADD CONSTRAINT cart_decision_pkey PRIMARY KEY (booking, partition, seq);
ALTER TABLE ONLY usher.chart
    ADD CONSTRAINT chart_pkey PRIMARY KEY (partition, hash);
ALTER TABLE ONLY usher.clock_reset
    ADD CONSTRAINT clock_reset_pkey PRIMARY KEY (partition, seq);
ALTER TABLE ONLY usher.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (partition, seq);
ALTER TABLE ONLY usher.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (partition, seq);
ALTER TABLE ONLY usher.former_owner
    ADD CONSTRAINT former_owner_pkey PRIMARY KEY (customer, booking);
ALTER TABLE ONLY usher.partition_halt
    ADD CONSTRAINT partition_halt_pkey PRIMARY KEY (partition, epoch);
ALTER TABLE ONLY usher.partition_skip
    ADD CONSTRAINT partition_skip_pkey PRIMARY KEY (partition, epoch);
ALTER TABLE ONLY usher.partition_state
    ADD CONSTRAINT partition_state_pkey PRIMARY KEY (partition);
ALTER TABLE ONLY usher.partition_topic
    ADD CONSTRAINT partition_topic_pkey PRIMARY KEY (partition, epoch);
ALTER TABLE ONLY usher.pool
    ADD CONSTRAINT pool_pkey PRIMARY KEY (no);
ALTER TABLE ONLY usher.pool
    ADD CONSTRAINT pool_resource_no_index_key UNIQUE (resource_no, index);
ALTER TABLE ONLY usher.pruned
    ADD CONSTRAINT pruned_pkey PRIMARY KEY (resource_no);
ALTER TABLE ONLY usher.resource
    ADD CONSTRAINT resource_id_key UNIQUE (id);
ALTER TABLE ONLY usher.resource
    ADD CONSTRAINT resource_partition_id_key UNIQUE (partition, id);
ALTER TABLE ONLY usher.resource
    ADD CONSTRAINT resource_pkey PRIMARY KEY (no);
ALTER TABLE ONLY usher.schema_compatible
    ADD CONSTRAINT schema_compatible_pkey PRIMARY KEY (version);
ALTER TABLE ONLY usher.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);
ALTER TABLE ONLY usher.seat_row
    ADD CONSTRAINT seat_row_pkey PRIMARY KEY (partition, chart, section, start);
CREATE INDEX booking_cart ON usher.booking USING btree (resource_no, customer, cart, no) WHERE (cart IS NOT NULL);
CREATE INDEX booking_claims ON usher.booking USING btree (resource_no, no) WHERE (state = ANY (ARRAY['held'::text, 'blocked'::text]));
CREATE INDEX booking_customer ON usher.booking USING btree (customer, no) WHERE (state <> 'held'::text);
CREATE INDEX booking_due ON usher.booking USING btree (partition, expires_at, no) WITH (deduplicate_items=off) WHERE ((state = ANY (ARRAY['held'::text, 'blocked'::text, 'waiting'::text])) AND (expires_at IS NOT NULL));
CREATE INDEX booking_waiting ON usher.booking USING btree (resource_no, no) WHERE (state = 'waiting'::text);
CREATE INDEX decision_aside ON usher.decision USING btree (resource) WHERE ((NOT first) AND (booking_no IS NULL));
CREATE INDEX decision_booking ON usher.decision USING btree (booking_no) WHERE ((booking_no IS NOT NULL) AND (booking_no <> (((partition)::bigint << 48) | seq)));
CREATE UNIQUE INDEX decision_first ON usher.decision USING btree (resource_no, id_hash) WHERE first;
CREATE INDEX pruned_shown ON usher.pruned USING btree (partition) WHERE (hidden_at IS NULL);
COMMENT ON INDEX usher.pruned_shown IS 'resources whose keys in Redis are still to be deleted';
CREATE INDEX resource_unfinished ON usher.resource USING btree (partition, no) WHERE (unserved OR (cancelling IS NOT NULL));
CREATE TRIGGER add_seat_rows AFTER INSERT ON usher.chart REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION usher.add_seat_rows();
GRANT USAGE ON SCHEMA usher TO usher_worker;
GRANT USAGE ON SCHEMA usher TO usher_reader;
REVOKE ALL ON FUNCTION pg_catalog.lo_creat(integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION pg_catalog.lo_create(oid) FROM PUBLIC;
REVOKE ALL ON FUNCTION pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.accept_topic(p_partition integer, p_topics text, p_next_offset bigint, p_next_seq bigint, p_published_seq bigint, p_reason text) FROM PUBLIC;
GRANT SELECT ON TABLE usher.partition_state TO usher_worker;
REVOKE ALL ON FUNCTION usher.acquire(p_partition integer, p_partition_count integer, p_expected_epoch integer, p_owner text, p_backend_pid integer, p_backend_start timestamp with time zone, OUT state usher.partition_state, OUT last_pool bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.acquire(p_partition integer, p_partition_count integer, p_expected_epoch integer, p_owner text, p_backend_pid integer, p_backend_start timestamp with time zone, OUT state usher.partition_state, OUT last_pool bigint) TO usher_worker;
REVOKE ALL ON FUNCTION usher.add_seat_rows() FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.advance(p_partition integer, p_epoch integer, p_expected_offset bigint, p_expected_seq bigint, p_next_offset bigint, p_next_seq bigint, p_now timestamp with time zone, p_fingerprint_offset bigint, p_fingerprint bigint, p_published_seq bigint, p_published_result_offset bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.advance(p_partition integer, p_epoch integer, p_expected_offset bigint, p_expected_seq bigint, p_next_offset bigint, p_next_seq bigint, p_now timestamp with time zone, p_fingerprint_offset bigint, p_fingerprint bigint, p_published_seq bigint, p_published_result_offset bigint) TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.cart_decision TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.decision TO usher_worker;
GRANT SELECT ON TABLE usher.audit TO usher_reader;
GRANT SELECT ON TABLE usher.audit TO usher_worker;
REVOKE ALL ON FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) TO usher_reader;
GRANT ALL ON FUNCTION usher.audit_between(p_from timestamp with time zone, p_until timestamp with time zone) TO usher_worker;
REVOKE ALL ON FUNCTION usher.booking_number(p_resource text, p_booking text) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.booking_number(p_resource text, p_booking text) TO usher_reader;
GRANT ALL ON FUNCTION usher.booking_number(p_resource text, p_booking text) TO usher_worker;
REVOKE ALL ON FUNCTION usher.end_halt(p_partition integer, p_epoch integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.expect(what text, actual bigint, wanted bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.expect(what text, actual bigint, wanted bigint) TO usher_worker;
REVOKE ALL ON FUNCTION usher.line_quantity(p_line json) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.line_quantity(p_line json) TO usher_worker;
REVOKE ALL ON FUNCTION usher.line_units(p_line json) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.line_units(p_line json) TO usher_worker;
REVOKE ALL ON FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) TO usher_reader;
GRANT ALL ON FUNCTION usher.partition_span(p_from timestamp with time zone, p_until timestamp with time zone, OUT partition integer, OUT first_seq bigint, OUT end_seq bigint) TO usher_worker;
REVOKE ALL ON FUNCTION usher.prunable(p_before timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.prune_begin(p_no bigint, p_before timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.prune_end(p_no bigint, p_partition integer, p_resource text, p_ended_at timestamp with time zone, p_decisions bigint, p_bookings bigint, p_dead_letters bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.reset_clock(p_partition integer, OUT was timestamp with time zone, OUT became timestamp with time zone, OUT ends_late bigint, OUT last_end timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.resume(p_partition integer) FROM PUBLIC;
GRANT SELECT ON TABLE usher.seat_row TO usher_worker;
REVOKE ALL ON FUNCTION usher.rows_of_chart(p_partition integer, p_hash text, p_content text) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.seq_at(p_partition integer, p_at timestamp with time zone, p_first bigint, p_end bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION usher.skip(p_partition integer, p_from bigint, p_to bigint, p_records bigint, p_reason text) FROM PUBLIC;
GRANT SELECT,INSERT,DELETE ON TABLE usher.allocation TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(created_at) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(expires_at) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(total) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(state) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(customer) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(cart) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(payment) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(note) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(lines) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(ttl_s) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(wants) ON TABLE usher.booking TO usher_worker;
GRANT UPDATE(sold_at) ON TABLE usher.booking TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(kind) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(title) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(capacity) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(price) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(overbook) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(rates) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(properties) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(held) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(sold) ON TABLE usher.pool TO usher_worker;
GRANT UPDATE(blocked) ON TABLE usher.pool TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(state) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(name) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(venue) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(description) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(timezone) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(currency) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(starts_at) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(ends_at) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(hold_ttl_s) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(rev) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(chart) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(opens_at) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(closes_at) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(strategy) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(terms) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(cancelling) ON TABLE usher.resource TO usher_worker;
GRANT UPDATE(unserved) ON TABLE usher.resource TO usher_worker;
GRANT SELECT ON TABLE usher.availability TO usher_reader;
GRANT SELECT ON TABLE usher.availability TO usher_worker;
GRANT SELECT ON TABLE usher.bookings TO usher_reader;
GRANT SELECT ON TABLE usher.bookings TO usher_worker;
GRANT SELECT ON TABLE usher.blocks TO usher_reader;
GRANT SELECT ON TABLE usher.blocks TO usher_worker;
GRANT SELECT ON TABLE usher.catalogue TO usher_reader;
GRANT SELECT ON TABLE usher.catalogue TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.chart TO usher_worker;
GRANT SELECT ON TABLE usher.clock_reset TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.dead_letter TO usher_worker;
GRANT SELECT ON TABLE usher.dead_letters TO usher_reader;
GRANT SELECT ON TABLE usher.dead_letters TO usher_worker;
GRANT SELECT ON TABLE usher.door_list TO usher_reader;
GRANT SELECT ON TABLE usher.door_list TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.former_owner TO usher_worker;
GRANT SELECT ON TABLE usher.hall TO usher_reader;
GRANT SELECT ON TABLE usher.hall TO usher_worker;
GRANT SELECT ON TABLE usher.history TO usher_reader;
GRANT SELECT ON TABLE usher.history TO usher_worker;
GRANT SELECT ON TABLE usher.open_holds TO usher_reader;
GRANT SELECT ON TABLE usher.open_holds TO usher_worker;
GRANT SELECT,INSERT ON TABLE usher.partition_halt TO usher_worker;
GRANT SELECT ON TABLE usher.partition_skip TO usher_worker;
GRANT SELECT ON TABLE usher.partition_topic TO usher_worker;
GRANT SELECT ON TABLE usher.partition_events TO usher_reader;
GRANT SELECT ON TABLE usher.partition_events TO usher_worker;
GRANT SELECT ON TABLE usher.partitions TO usher_reader;
GRANT SELECT ON TABLE usher.partitions TO usher_worker;
GRANT SELECT ON TABLE usher.pruned TO usher_worker;
GRANT SELECT ON TABLE usher.purchase TO usher_reader;
GRANT SELECT ON TABLE usher.purchase TO usher_worker;
GRANT SELECT ON TABLE usher.refusals TO usher_reader;
GRANT SELECT ON TABLE usher.refusals TO usher_worker;
GRANT SELECT ON TABLE usher.sales TO usher_reader;
GRANT SELECT ON TABLE usher.sales TO usher_worker;
GRANT SELECT ON TABLE usher.schema_compatible TO usher_worker;
GRANT SELECT ON TABLE usher.schema_compatible TO usher_reader;
GRANT SELECT ON TABLE usher.schema_migration TO usher_worker;
GRANT SELECT ON TABLE usher.schema_migration TO usher_reader;
GRANT SELECT ON TABLE usher.taken_seats TO usher_reader;
GRANT SELECT ON TABLE usher.taken_seats TO usher_worker;
GRANT SELECT ON TABLE usher.waiting TO usher_reader;
GRANT SELECT ON TABLE usher.waiting TO usher_worker;
