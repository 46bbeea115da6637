-- Workers go on while a migration is applied that they do not notice, such as one that adds a view, an index, or a table
-- that only later workers use. Such a migration says so itself, by a row here; one that says nothing is not for them.

set local role usher_owner;

create table usher.schema_compatible (
    version integer primary key,
    program integer not null check (program < version)
);

-- ---- permissions -------------------------------------------------------------------------------
grant select on usher.schema_compatible to usher_worker, usher_reader;

-- ---- comments ----------------------------------------------------------------------------------
comment on table usher.schema_compatible is 'migrations that programs of earlier versions do not notice';
comment on column usher.schema_compatible.version is 'of the migration, as in schema_migration';
comment on column usher.schema_compatible.program is 'programs of this version of the schema and of later ones can work with it';
