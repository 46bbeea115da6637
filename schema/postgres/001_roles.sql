-- The record of usher: who holds what, every answer given, and how far each partition is done. First who may do what:
-- the roles, the schema, and the list of the files that made it.
--
-- Roles belong to the whole server, and passwords are the deployment's business: roles are made here only where they are
-- missing, without login.
do $$
declare
    missing text;
begin
    for missing in
        select name
          from unnest(array['usher_owner', 'usher_worker', 'usher_reader']) as name
         where to_regrole(name) is null
    loop
        execute format('create role %I', missing);
    end loop;
    if not pg_has_role('usher_owner', 'member') then
        execute format('grant usher_owner to %I', current_user);
    end if;
exception
    when insufficient_privilege then
        raise exception using
            errcode = 'insufficient_privilege',
            message = 'could not make the roles usher_owner, usher_worker and usher_reader',
            hint = format('Run as an administrator: create role usher_owner; '
                          'create role usher_worker; create role usher_reader; '
                          'grant usher_owner to %I;', current_user);
end
$$;

-- A report must not hold back vacuum, nor use up the connections of the workers. Where the role that migrates may not set
-- this, or somebody has set it already, `usher-worker check` has the rest.
do $$
begin
    if not exists (select from pg_db_role_setting where setrole = 'usher_reader'::regrole) then
        alter role usher_reader set statement_timeout = '1min';
        alter role usher_reader set idle_in_transaction_session_timeout = '1min';
        alter role usher_reader set default_transaction_read_only = on;
        alter role usher_reader set jit = off; -- compiling takes longer than a look at one show
    end if;
    if (select rolconnlimit from pg_roles where rolname = 'usher_reader') = -1 then
        alter role usher_reader connection limit 20;
    end if;
exception
    when insufficient_privilege then
        null;
end
$$;

-- Who only reads makes nothing that stays on the server's disk, and takes no lock that workers wait for. Where the role
-- that migrates may not revoke this, it stays as it is, and `usher-worker check` has the rest. A database that is copied or
-- restored has the first right again.
do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
exception
    when insufficient_privilege then
        null;
end
$$;

create schema usher authorization usher_owner;

-- Everything belongs to the owner, whoever migrates.
set local role usher_owner;

comment on schema usher is 'hands out scarce units: bookings, allocations, decisions';

grant usage on schema usher to usher_worker, usher_reader;

-- ---- migrations --------------------------------------------------------------------------------
create table usher.schema_migration (
    version integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp(),
    applied_by text not null default session_user
);

-- Workers go on while a migration is applied that they do not notice, such as one that adds a view, an index, or a table
-- that only later workers use. Such a migration says so itself, by a row here; one that says nothing is not for them.
create table usher.schema_compatible (
    version integer primary key,
    program integer not null check (program < version)
);

grant select on usher.schema_migration, usher.schema_compatible to usher_worker, usher_reader;
