-- name: limits
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

-- name: partitions
-- What an operator must see to, a line for each partition: a halt; append times of Kafka, of the last ten minutes, that are not
-- by this server's clock. Those behind it may also have been decided late: all of ten decisions at least.
select format('partition %s has halted since %s: %s; see usher-worker help UsherPartitionHalted', partition,
              to_char(halted_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI"Z"'), halted)
  from usher.partitions
 where halted is not null
union all
select format('partition %s: the append times of Kafka are %s s %s this clock; correct the clocks of the brokers and of '
              'PostgreSQL, for holds end by both', s.partition, round(extract(epoch from greatest(d.ahead, d.behind)), 1),
              case when d.ahead > d.behind then 'ahead of' else 'behind' end)
  from usher.partition_state as s
 cross join lateral (
     select max(l.appended_at - l.decided_at) as ahead, min(l.decided_at - l.appended_at) as behind, count(*) as decisions
       from (select appended_at, decided_at
               from usher.decision
              where partition = s.partition and seq >= s.next_seq - 1000 and appended_at is not null offset 0) as l
      where l.decided_at > now() - interval '10 minutes') as d
 where d.ahead > interval '1 second' or d.behind > interval '1 second' and d.decisions >= 10
 order by 1

-- name: permissions
-- What the worker needs and is not permitted, as text, the first few of it; empty: it has all. Who it is, whether that
-- is a login for readers, and whether it may be asked on.
select coalesce(string_agg(what, ', ' order by no) filter (where no <= 4), '')
           || case when count(*) > 4 then format(', and %s more', count(*) - 4) else '' end,
       current_user, pg_has_role('usher_reader', 'member') and not pg_has_role('usher_worker', 'member'),
       has_table_privilege('usher.partition_state', 'select')
  from (select what, row_number() over () as no from (
        select privilege || ' on usher.' || name as what
          from (values ('partition_state', 'select'), ('chart', 'select,insert'),
                       ('resource', 'select,insert'), ('pool', 'select,insert'),
                       ('booking', 'select,insert'), ('allocation', 'select,insert,delete'),
                       ('decision', 'select,insert'), ('dead_letter', 'select,insert'),
                       ('former_owner', 'select,insert'), ('quarter', 'select,insert'), ('cart_decision', 'select,insert'),
                       ('clock_reset', 'select'))
               as t (name, privileges),
               unnest(string_to_array(privileges, ',')) as privilege
         where not has_table_privilege('usher.' || name, privilege)
        union all
        select 'update of usher.' || name || '.' || col
          from (values ('resource', 'rev'), ('pool', 'capacity'), ('booking', 'state'),
                       ('resource', 'unserved'), ('resource', 'takings'), ('resource', 'promised'), ('pool', 'rates'), ('booking', 'wants'),
                       ('pool', 'held'), ('quarter', 'amount'))
               as t (name, col)
         where not has_column_privilege('usher.' || name, col, 'update')
        union all
        select 'execute of usher.' || p.proname
          from pg_proc as p
         where p.pronamespace = 'usher'::regnamespace
           and p.proname in ('advance', 'acquire', 'expect')
           and not has_function_privilege(p.oid, 'execute')) as each) as missing

-- name: settings
-- What a server says about itself. The last column is how many connections it has for workers.
select current_setting('server_version'), current_database()::text, current_user::text,
       current_setting('synchronous_commit'), current_setting('fsync'),
       current_setting('full_page_writes'), pg_is_in_recovery(),
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer

-- name: tables
-- What somebody else made of the tables, a line each, and whether rows may be lost or hidden by it. Of usher itself is the trigger of
-- charts, whose function lies in the schema.
with t as (
    select c.*, format('usher.%I', c.relname) as name
      from pg_class as c
     where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'p')
), hidden as (
    select t.*, row_security_active(t.oid) or relforcerowsecurity as hides
      from t where relrowsecurity
), triggers as (
    select t.name, g.*, p.pronamespace, g.tgtype & 3 = 3 as before_each -- for each row 1, before 2
      from t
      join pg_trigger as g on g.tgrelid = t.oid and not g.tgisinternal
      join pg_proc as p on p.oid = g.tgfoid
)
select hides, format('row-level security of %s hides rows%s: run as its owner: alter table %s disable row level security',
                     name, case when hides then '' else ' from other logins than this one' end, name) as said
  from hidden
union all
select true, format('rule %I of %s may keep rows from being written: run as its owner: drop rule %I on %s',
                    r.rulename, t.name, r.rulename, t.name)
  from t
  join pg_rewrite as r on r.ev_class = t.oid
union all
select before_each, format('trigger %I of %s is not of usher%s: run as its owner: drop trigger %I on %s', tgname, name,
                           case when before_each then ', and may drop or change rows' else '' end, tgname, name)
  from triggers
 where tgenabled <> 'D' and pronamespace <> 'usher'::regnamespace
union all
select true, format('trigger %I of %s is disabled: run as its owner: alter table %s enable trigger %I', tgname, name, name, tgname)
  from triggers
 where tgenabled = 'D' and pronamespace = 'usher'::regnamespace
union all
select true, format('%s is unlogged, so a crash empties it: run as its owner: alter table %s set logged', name, name)
  from t
 where relpersistence = 'u'
 order by said
