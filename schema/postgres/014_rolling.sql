-- Workers go on while a migration is applied that they do not notice, such as one that adds a view, an index, or a table
-- that only later workers use. Such a migration says so itself, by a row here; one that says nothing is not for them.

set local role usher_owner;

create table usher.schema_compatible (
    version integer primary key,
    program integer not null check (program < version)
);

-- A night is over when the morning after it has come everywhere: at noon in UTC. Nobody needs to know the time zone of the
-- place, which this server may not know.
create or replace function usher.prunable(p_before timestamptz)
returns table (resource_no bigint, partition integer, resource text, ended_at timestamptz)
language sql stable
as $$
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

-- ---- permissions -------------------------------------------------------------------------------
grant select on usher.schema_compatible to usher_worker, usher_reader;

-- ---- comments ----------------------------------------------------------------------------------
comment on table usher.schema_compatible is 'migrations that programs of earlier versions do not notice';
comment on column usher.schema_compatible.version is 'of the migration, as in schema_migration';
comment on column usher.schema_compatible.program is 'programs of this version of the schema and of later ones can work with it';
