-- Takes a partition for the next epoch. $1 partition, $2 partition count, $3 expected epoch (0: any), $4 owner.
-- The backend is read here, as the session sees it: inside usher.acquire it would be seen by another role.
select (a.state).epoch, (a.state).partition_count, (a.state).next_offset,
       (a.state).next_seq, (a.state).now, (a.state).published_seq,
       (a.state).published_result_offset, (a.state).fingerprint_offset,
       (a.state).fingerprint, a.last_pool
  from pg_stat_get_activity(pg_backend_pid()) as me,
       usher.acquire($1, $2, $3, $4, me.pid, me.backend_start) as a
