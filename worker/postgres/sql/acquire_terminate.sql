-- Terminates the backend that the current owner recorded, if it still runs. $1 partition, $2 expected epoch, $3 owner.
-- The start time tells it from a later backend with the same pid.
select p.backend_pid, pg_terminate_backend(p.backend_pid)
  from usher.partition_state as p,
       pg_stat_get_activity(p.backend_pid) as a
 where p.partition = $1 and ($2 in (0, p.epoch) or p.owner = $3)
   and a.backend_start = p.backend_start
