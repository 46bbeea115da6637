-- Several databases of usher as one, for people with SQL: a schema usher with the views that readers have, and in them the rows
-- of all databases, by postgres_fdw. For psql, in a database of its own, on any server that reaches the others:
--
--     export USHER_POSTGRES='postgresql://box_office:…@db/usher postgresql://box_office:…@db2/usher'
--     psql -X -f union.sql postgresql://analyst@reports/analysis
--
-- USHER_POSTGRES is the list that commands take, with the login of a reader; it comes from the environment, since everybody
-- on the host sees the arguments of a command. Run it again after `migrate up`, when a database was added, and with another
-- password: views are replaced, so that permissions on them, and views made of them, stay. It is one transaction: where it
-- refuses, everything is as it was.
\set ON_ERROR_STOP on
\set QUIET on
\set SHOW_CONTEXT never
\getenv databases USHER_POSTGRES
\if :{?databases}
\else
\set databases ''
\endif
begin;
set local client_min_messages = warning;
set local usher.databases = :'databases';

-- ---- the databases that are given ------------------------------------------------------------------
create function pg_temp.decoded(p_text text) returns text language sql as $$
    select convert_from(coalesce(string_agg(case when f.found[1] ~ '^%..' then decode(substr(f.found[1], 2), 'hex')
                                                 else convert_to(f.found[1], 'UTF8') end, ''::bytea order by f.place), ''), 'UTF8')
      from regexp_matches(p_text, '%[[:xdigit:]]{2}|%|[^%]+', 'g') with ordinality as f (found, place)
$$;

-- What libpq reads in a URI, as the options of a server and of a user mapping. The address, for messages, has no secret.
create function pg_temp.read_uri(p_uri text, out address text, out server_options text, out login_options text)
language plpgsql as $$
declare
    part text[] := regexp_match(p_uri, '^postgres(?:ql)?://(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?$');
    hosts text;
    ports text;
begin
    if part is null then
        raise exception 'a word of USHER_POSTGRES is no URI'
            using hint = 'postgresql://user:password@host:port/database; in a password, write / as %2F and @ as %40';
    end if;
    address := left(pg_temp.decoded(part[3] || coalesce('/' || part[4], '')), 63);
    select string_agg(coalesce(host[1], host[2]), ','), string_agg(coalesce(host[3], ''), ',')
      into hosts, ports
      from regexp_split_to_table(part[3], ',') as one, regexp_match(one, '^(?:\[(.*)\]|([^:]*))(?::(.*))?$') as host;
    select string_agg(format('%I %L', o.key, o.value), ', ') filter (where not o.is_login),
           string_agg(format('%I %L', o.key, o.value), ', ') filter (where o.is_login)
      into server_options, login_options
      from (select n.key, pg_temp.decoded(n.value) as value, n.key in ('user', 'password', 'sslpassword') as is_login
              from (values ('user', part[1]), ('password', part[2]), ('host', hosts), ('dbname', part[4]),
                           ('port', case when ports ~ '[0-9]' then ports end)
                    union all
                    select split_part(pair, '=', 1), split_part(pair, '=', 2)
                      from regexp_split_to_table(part[5], '&') as pair) as n (key, value)
             where n.value <> '') as o;
end
$$;

create temporary table given on commit drop as
select d.no, null::text as shard, null::integer as version, (pg_temp.read_uri(d.uri)).*
  from regexp_split_to_table(btrim(current_setting('usher.databases'), E' \t\r\n'), '\s+') with ordinality as d (uri, no)
 where d.uri <> '';

-- ---- where this is -----------------------------------------------------------------------------------
do $$
declare
    twice text;
begin
    if to_regclass('usher.partition_state') is not null then
        raise exception 'database "%" is one of usher, which has these views of its own', current_database()
            using hint = 'create a database for this, and run union.sql there';
    elsif exists (select from pg_namespace
                   where nspname = 'usher' and obj_description(oid, 'pg_namespace') is distinct from 'made by union.sql') then
        raise exception 'database "%" has a schema usher that union.sql did not make', current_database()
            using hint = 'create a database for this, and run union.sql there';
    elsif not exists (select from given) then
        raise exception 'no databases are given' using hint = 'set USHER_POSTGRES to their URIs, with spaces between';
    end if;
    select address into twice from given group by address having count(*) > 1;
    if found then
        raise exception 'the database at % is there twice', twice using hint = 'give the URI of each database once';
    end if;
end
$$;

create extension if not exists postgres_fdw;

-- ---- servers, called by their addresses until the databases have said their names ----------------------
do $$
declare
    one record;
    -- An idle session keeps none of the connections that readers have; all databases are read at the same time.
    more text := case when current_setting('server_version_num')::integer >= 140000
                      then ', async_capable ''true'', keep_connections ''false''' else '' end;
begin
    for one in select srvname, row_number() over (order by srvname) as no
                 from pg_foreign_server where obj_description(oid, 'pg_foreign_server') = 'made by union.sql'
    loop
        execute format('alter server %I rename to %I', one.srvname, 'usher before ' || one.no);
        execute format('alter schema %I rename to %I', one.srvname, 'usher before ' || one.no);
    end loop;
    for one in select * from given order by no loop
        execute format('create server %I foreign data wrapper postgres_fdw options (%s)', one.address,
                       concat_ws(', ', one.server_options, 'updatable ''false''', 'fetch_size ''1000''') || more);
        execute format('comment on server %I is %L', one.address, 'made by union.sql');
        execute format('create user mapping for current_user server %I%s', one.address, ' options (' || one.login_options || ')');
        execute format('create schema %I', one.address);
        execute format('import foreign schema usher limit to (shard, schema_migration) from server %1$I into %1$I', one.address);
        execute format('import foreign schema information_schema limit to (tables) from server %1$I into %1$I', one.address);
        execute format('import foreign schema pg_catalog limit to (pg_views) from server %1$I into %1$I', one.address);
        if to_regclass(format('%I.shard', one.address)) is null then
            raise exception 'the schema of the database at % is older than this script', one.address
                using hint = 'run `usher-worker migrate up`';
        end if;
        execute format('update given set shard = (select name from %1$I.shard), '
                       'version = (select max(version) from %1$I.schema_migration) where no = %2$s', one.address, one.no);
    end loop;
end
$$;

-- ---- what they say -------------------------------------------------------------------------------------
do $$
declare
    one record;
    may_read_tables boolean;
    views text;
begin
    for one in select * from given order by no loop
        if one.shard is null then
            raise exception 'the database at % has no name among several', one.address
                using hint = 'if it is the only one, its own views have all rows; else run `usher-worker migrate up --shard NAME`';
        elsif exists (select from given where shard = one.shard and no < one.no) then
            raise exception 'shard % is there twice', one.shard using hint = 'give the URI of each database once';
        elsif exists (select from given where version <> one.version) then
            raise exception 'the databases have schemas of different versions: %',
                (select string_agg(format('%s %s', shard, version), ', ' order by no) from given)
                using hint = 'run `usher-worker migrate up` with the URIs of all';
        end if;
        execute format('select exists (select from %I.tables where table_schema = ''usher'' and table_name = ''decision'')',
                       one.address) into may_read_tables;
        if may_read_tables then
            raise exception 'the login at % may do more than read the views', one.address
                using hint = 'give the login of a reader: create role box_office login password ''…'' in role usher_reader';
        end if;
        execute format('select string_agg(quote_ident(table_name), '', '') from %I.tables '
                       'where table_schema = ''usher'' and table_type = ''VIEW''', one.address) into views;
        execute format('alter server %I rename to %I', one.address, 'usher_' || one.shard);
        execute format('alter schema %I rename to %I', one.address, 'usher_' || one.shard);
        execute format('import foreign schema usher limit to (%1$s) from server %2$I into %2$I', views, 'usher_' || one.shard);
    end loop;
end
$$;

-- All of an installation: a partition that lives in none of them would be missed in silence.
do $$
declare
    homes text := (select string_agg(format('select partition from %I.home', 'usher_' || shard), ' union all ') from given);
    counts text := (select string_agg(format('select partition_count from %I.partitions', 'usher_' || shard), ' union all ') from given);
    missing text;
    twice text;
begin
    execute format('select string_agg(p::text, '', '' order by p) '
                   '  from generate_series(0, coalesce((select max(partition_count) from (%s) as c), 1) - 1) as p '
                   ' where p not in (%s)', counts, homes) into missing;
    execute format('select string_agg(partition::text, '', '') '
                   '  from (select partition from (%s) as h group by partition having count(*) > 1 order by partition) as t', homes)
        into twice;
    if missing is not null then
        raise exception 'no database of USHER_POSTGRES has partition %', missing
            using hint = 'give the URIs of all databases; a partition that is just being moved will be there in a moment';
    elsif twice is not null then
        raise exception 'more than one database of USHER_POSTGRES has partition %', twice
            using hint = 'a database was restored to an earlier moment: deploy/recovery.md, "PostgreSQL is full"';
    end if;
end
$$;

-- ---- the views -----------------------------------------------------------------------------------------
create schema if not exists usher;
comment on schema usher is 'made by union.sql';

do $$
declare
    first_shard text := (select 'usher_' || shard from given order by no limit 1);
    of_carts text;
    one record;
    rows_of_all text;
begin
    execute format('select rtrim(definition, ''; '') from %I.pg_views where schemaname = ''usher'' and viewname = ''cart''', first_shard)
        into of_carts;
    for one in select 'usher_' || shard as name from given loop
        execute format('drop foreign table %1$I.shard, %1$I.schema_migration, %1$I.tables, %1$I.pg_views', one.name);
    end loop;
    -- A cart may lie in several databases: it is made of their cart_booking, as each makes it of its own.
    for one in select relname as view from pg_class
                where relnamespace = quote_ident(first_shard)::regnamespace and relkind = 'f' order by relname = 'cart', relname
    loop
        select string_agg(format('select * from %I.%I', 'usher_' || shard, one.view)
                          -- A row is left where a partition lived before.
                          || case one.view when 'partitions' then format(' where shard = %L', shard) else '' end,
                          ' union all ' order by no)
          into rows_of_all from given;
        execute format('create or replace view usher.%I as %s', one.view, case one.view
            when 'cart' then of_carts
            when 'refusals' then format( -- those of no resource are counted in each
                'select resource, hour, op, outcome, reason, sum(requests)::bigint as requests, max(last_at) as last_at '
                'from (%s) as r group by resource, hour, op, outcome, reason', rows_of_all)
            else rows_of_all end);
    end loop;
end
$$;

-- ---- what was there before -----------------------------------------------------------------------------
do $$
declare
    one record;
begin
    for one in select s.srvname,
                      (select string_agg(t.ftrelid::regclass::text, ', ') from pg_foreign_table as t where t.ftserver = s.oid) as tables
                 from pg_foreign_server as s
                where s.srvname like 'usher before %' and obj_description(s.oid, 'pg_foreign_server') = 'made by union.sql'
    loop
        execute 'drop foreign table ' || one.tables;
        execute format('drop schema %I', one.srvname);
        execute format('drop server %I cascade', one.srvname); -- with its user mappings
    end loop;
end
$$;

select string_agg(shard, ', ' order by shard) as shards from given \gset
commit;
\echo the views of schema usher have the rows of shards :shards
