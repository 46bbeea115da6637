-- The three roles of usher, with the passwords that the environment has, and its database: what an administrator makes
-- before `usher-worker migrate up`, which gives each role the least that it needs. For psql; may be repeated.
\getenv owner USHER_OWNER_PASSWORD
\getenv worker USHER_WORKER_PASSWORD
\getenv reader USHER_READER_PASSWORD
select format('create role %I', role) from unnest(array['usher_owner', 'usher_worker', 'usher_reader']) as role
 where to_regrole(role) is null \gexec
alter role usher_owner login password :'owner';
alter role usher_worker login password :'worker';
alter role usher_reader login password :'reader';
alter role usher_reader set statement_timeout = '1min';
alter role usher_reader set idle_in_transaction_session_timeout = '1min';
alter role usher_reader set default_transaction_read_only = on;
alter role usher_reader set jit = off;
alter role usher_reader connection limit 20;
select 'create database usher owner usher_owner encoding ''UTF8'' template template0' where not exists (select from pg_database where datname = 'usher') \gexec
-- Who only reads must not fill the disk of the server.
\connect usher
revoke temporary on database usher from public;
revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
