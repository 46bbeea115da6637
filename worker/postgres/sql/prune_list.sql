-- What can be pruned, partition by partition, with how many decisions about it. $1 over before that many seconds ago.
select r.resource_no, r.partition, r.resource, r.ended_at,
       (select count(*) from usher.decision as d where d.resource_no = r.resource_no and d.first)
  from usher.prunable(clock_timestamp() - $1::bigint * interval '1 second') as r
 order by r.partition, r.ended_at, r.resource_no
