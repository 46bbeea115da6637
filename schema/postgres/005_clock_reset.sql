-- The clock of a partition can be set back after that of the server was ahead. `now` never goes back by itself, so that
-- decisions are in the order of their times; where an operator did set it back is recorded, and searches by time look
-- on both sides.
set local role usher_owner;

create table usher.clock_reset (
    partition integer not null,
    seq bigint not null,              -- the first decision after it
    was timestamptz not null,         -- `now` before it
    became timestamptz not null,      -- `now` after it: the server's clock
    reset_by text not null default session_user,
    primary key (partition, seq)
);

-- Sets `now` of a partition back to the server's clock, if it is ahead of it. The next epoch begins: whoever owns the
-- partition is fenced, takes it again, and reads the clock anew. Holds keep the ends that their customers were told;
-- `ends_late` counts those that were made under the wrong clock, parties and blocks with a time included, and
-- `last_end` is the last of their ends. For the owner of the schema only: a worker has no way to move time.
create function usher.reset_clock(
    p_partition integer,
    out was timestamptz, out became timestamptz, out ends_late bigint, out last_end timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
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

-- ---- searches by time ----------------------------------------------------------------------------
-- As before, among the decisions from p_first on and before p_end (null: those that are not yet made).
drop function usher.seq_at(integer, timestamptz);
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
create or replace function usher.partition_span(
    p_from timestamptz, p_until timestamptz,
    out partition integer, out first_seq bigint, out end_seq bigint
) returns setof record
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select s.partition, usher.seq_at(s.partition, p_from, s.first, s.stop),
           usher.seq_at(s.partition, p_until, s.first, s.stop)
      from (select b.partition, b.first,
                   lead(b.first) over (partition by b.partition order by b.first) as stop
              from (select p.partition, 1::bigint as first from usher.partition_state as p
                    union
                    select r.partition, r.seq from usher.clock_reset as r) as b) as s
$$;

-- ---- permissions -------------------------------------------------------------------------------
revoke execute on function usher.reset_clock, usher.seq_at from public;
grant select on usher.clock_reset to usher_worker;
