-- The role of workers or readers whose rights this session has, or whose name; null: it may migrate. And the login.
select case when me.rolname in ('usher_worker', 'usher_reader') then me.rolname::text
            when me.rolsuper or pg_has_role(me.oid, o.oid, 'member') then null
            else r.rolname::text end,
       me.rolname::text
  from pg_roles as me
  left join pg_roles as o on o.rolname = 'usher_owner'
  left join pg_roles as r on r.rolname in ('usher_worker', 'usher_reader') and pg_has_role(me.oid, r.oid, 'member')
 where me.rolname = session_user
 order by r.rolname desc nulls last
 limit 1
