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
                       ('former_owner', 'select,insert'), ('cart_decision', 'select,insert'),
                       ('clock_reset', 'select'))
               as t (name, privileges),
               unnest(string_to_array(privileges, ',')) as privilege
         where not has_table_privilege('usher.' || name, privilege)
        union all
        select 'update of usher.' || name || '.' || col
          from (values ('resource', 'rev'), ('pool', 'capacity'), ('booking', 'state'),
                       ('resource', 'unserved'), ('pool', 'rates'), ('booking', 'wants'),
                       ('pool', 'held'))
               as t (name, col)
         where not has_column_privilege('usher.' || name, col, 'update')
        union all
        select 'execute of usher.' || p.proname
          from pg_proc as p
         where p.pronamespace = 'usher'::regnamespace
           and p.proname in ('advance', 'acquire', 'expect')
           and not has_function_privilege(p.oid, 'execute')) as each) as missing
