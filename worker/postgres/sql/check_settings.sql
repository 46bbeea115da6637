-- What a server says about itself. The last column is how many connections it has for workers.
select current_setting('server_version'), current_database()::text, current_user::text,
       current_setting('synchronous_commit'), current_setting('fsync'),
       current_setting('full_page_writes'), pg_is_in_recovery(),
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
