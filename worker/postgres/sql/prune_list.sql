-- What can be pruned, partition by partition, with how many decisions would go with it: those about it, what became of
-- its bookings without a request, and repeats. $1 over before that many seconds ago.
select r.resource_no, r.partition, r.resource, r.ended_at,
       (select count(*) from usher.decision as d where d.resource_no = r.resource_no and d.first)
       + (select count(*) from usher.decision as d
            join usher.decision as c on c.booking_no = d.booking_no
           where d.resource_no = r.resource_no and d.first and d.booking_no = (d.partition::bigint << 48 | d.seq)
             and c.booking_no <> (c.partition::bigint << 48 | c.seq) and not c.first)
       + (select count(*) from usher.decision as d
           where d.resource = r.resource and not d.first and d.booking_no is null and d.partition = r.partition
             and d.seq <= s.published_seq)
  from usher.prunable(clock_timestamp() - $1::bigint * interval '1 second') as r
  join usher.partition_state as s on s.partition = r.partition
 order by r.partition, r.ended_at, r.resource_no
