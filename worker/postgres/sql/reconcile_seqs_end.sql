-- The last decision is the one before next_seq, and no more are missing than were pruned.
select format(case when s.next_seq is distinct from coalesce(d.last, 0) + 1
                   then 'partition %1$s: the last decision is %2$s, but the next is to be %3$s'
                   else 'partition %1$s: %4$s of %2$s decisions are there or were pruned' end,
              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq, d.decisions)
  from usher.partition_state as s
  full join (select partition, max(last) as last, sum(decisions) as decisions
               from (select partition, max(seq) as last, count(*) as decisions from usher.decision group by partition
                     union all
                     select partition, max(last_seq), sum(decisions) from usher.pruned group by partition) as x
              group by partition) as d
    on d.partition = s.partition
 where s.next_seq is distinct from coalesce(d.last, 0) + 1 or d.decisions <> d.last
