-- One snapshot for all checks. They scan whole tables, so the planner may choose what is best for that.
begin isolation level repeatable read read only;
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;
set local enable_bitmapscan = on;
set local plan_cache_mode = auto;
set local work_mem = '64MB'
