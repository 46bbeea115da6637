-- Sets a session up and looks it over. $1 lock timeout, $2 statement timeout, in milliseconds.
-- `synchronous_commit` is on, or stronger where the server's own is: what was answered must survive a crash.
-- All statements are look-ups by key, planned once: no plan may be chosen that scans whole tables while they are small
-- and be kept while they grow, nor one that depends on the first parameters. Disabled plans are costed so high that
-- the JIT compiler would start. A page of pools is sorted in memory. A partition that has nothing to decide keeps its
-- session, however long that takes. What bounds a transaction are the timeouts of its statements, and of waiting for
-- the next one.
-- Rows that a policy would hide are an error, and not missing. A warning is always sent: it may say that a commit is uncertain.
select pg_backend_pid(), current_setting('server_encoding'),
       format('%s %s', extract(epoch from pg_postmaster_start_time()), -- no other database is the same here
              (select oid from pg_database where datname = current_database())),
       set_config('synchronous_commit', case current_setting('synchronous_commit')
                                             when 'remote_apply' then 'remote_apply' else 'on' end, false),
       set_config('lock_timeout', $1, false),
       set_config('statement_timeout', $2, false),
       set_config('idle_in_transaction_session_timeout', $2, false),
       set_config('row_security', 'off', false),
       set_config('client_min_messages', 'warning', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('default_transaction_read_only', 'off', false),
       set_config('search_path', 'pg_catalog', false),
       set_config('timezone', 'UTC', false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('enable_seqscan', 'off', false),
       set_config('enable_hashjoin', 'off', false),
       set_config('enable_mergejoin', 'off', false),
       set_config('enable_bitmapscan', 'off', false),
       set_config('jit', 'off', false),
       set_config('work_mem', '16MB', false),
       case when current_setting('server_version_num')::integer >= 140000
            then set_config('enable_memoize', 'off', false) || set_config('idle_session_timeout', '0', false) end,
       case when current_setting('server_version_num')::integer >= 170000
            then set_config('transaction_timeout', '0', false) end
