-- The session of who asks views: the time limits and the planner's settings are those of the role again.
reset all;
set search_path = pg_catalog;
set timezone = 'UTC';
set default_transaction_read_only = on;
set jit = off
