-- name: history
-- The migrations that were applied, in their order.
select version, sha256, applied_at, applied_by from usher.schema_migration order by version

-- name: moves
-- A partition that is being moved.
select partition::text, destination from usher.partition_state where destination is not null order by partition limit 1

-- name: record
-- Records a migration that was applied. $1 version, $2 name, $3 checksum.
insert into usher.schema_migration (version, name, sha256) values ($1, $2, $3)

-- name: role
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

-- name: workers
-- The workers that have partitions, in sessions that are open.
select string_agg(distinct owner, ', ') from usher.partitions where connected having count(*) > 0
