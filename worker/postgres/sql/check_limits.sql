-- What should be tightened, a line each: a worker with the rights of an owner, readers without limits, or who can fill the disk.
select format('logged in as "%s", which may change the schema, drop the guard and rewrite history: log in as a member of '
              'usher_worker that is nothing more', current_user)
  from pg_roles
 where rolname = current_user and (rolsuper or pg_has_role('usher_owner', 'member'))
union all
select format('usher_reader has no %s: a long report may hold back vacuum, or use up the connections; run as an '
              'administrator: alter role usher_reader %s', string_agg(name, ', '),
              string_agg(setting, '; alter role usher_reader '))
  from (select name, format('set %s = %L', name, value) as setting
          from (values ('statement_timeout', '1min'), ('idle_in_transaction_session_timeout', '1min'),
                       ('default_transaction_read_only', 'on'), ('jit', 'off')) as t (name, value)
         where not exists (
             select from pg_db_role_setting as s, unnest(s.setconfig) as c
              where s.setrole = 'usher_reader'::regrole and s.setdatabase in (
                        0, (select oid from pg_database where datname = current_database()))
                and split_part(c, '=', 1) = name)
        union all
        select 'connection limit', 'connection limit 20'
          from pg_roles where rolname = 'usher_reader' and rolconnlimit = -1) as missing
having count(*) > 0
union all
select format('usher_reader may make %s, which may fill the disk of the server; run as an administrator, in this database: %s',
              string_agg(what, ' and '), string_agg(remedy, '; '))
  from (select 'temporary tables' as what, format('revoke temporary on database %I from public', current_database()) as remedy
         where has_database_privilege('usher_reader', current_database(), 'temporary')
        union all
        select 'large objects', 'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public'
         where has_function_privilege('usher_reader', 'pg_catalog.lo_create(oid)', 'execute')) as open
having count(*) > 0
