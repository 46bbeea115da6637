-- Takes a partition for the next epoch. $1 partition, $2 partition count, $3 expected epoch (0: any), $4 owner.
-- The backend is read here, as the session sees it: inside usher.acquire it would be seen by another role.
select (a.state).epoch, (a.state).partition_count, (a.state).next_offset,
       (a.state).next_seq, (a.state).now, (a.state).published_seq,
       (a.state).published_result_offset, (a.state).fingerprint_offset,
       (a.state).fingerprint, a.last_pool, (a.state).holds, (a.state).parties
  from pg_stat_get_activity(pg_backend_pid()) as me,
       usher.acquire($1, $2, $3, $4, me.pid, me.backend_start) as a

-- name: open
-- Holds that are open, and parties that wait, where the last batch did not say it. $1 partition. Behind the acquire, so that no
-- predecessor makes any more.
select count(*) filter (where state = 'held'), count(*) filter (where state = 'waiting')
  from usher.booking
 where partition = $1 and state in ('held', 'blocked', 'waiting') and expires_at is not null

-- name: terminate
-- Terminates the backend that the current owner recorded, if it still runs. $1 partition, $2 expected epoch, $3 owner.
-- The start time tells it from a later backend with the same pid.
select p.backend_pid, pg_terminate_backend(p.backend_pid)
  from usher.partition_state as p,
       pg_stat_get_activity(p.backend_pid) as a
 where p.partition = $1 and ($2 in (0, p.epoch) or p.owner = $3)
   and a.backend_start = p.backend_start
