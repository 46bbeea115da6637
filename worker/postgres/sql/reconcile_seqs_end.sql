-- The last decision is the one before next_seq, and where some were pruned, no more are missing. (Elsewhere each gap is
-- told by itself.)
select format(case when s.next_seq is distinct from coalesce(d.last, 0) + 1
                   then 'partition %1$s: the last decision is %2$s, but the next is to be %3$s'
                   else 'partition %1$s: %4$s of %2$s decisions are there or were pruned' end,
              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq, d.decisions)
  from usher.partition_state as s
  full join (select partition, max(last) as last, sum(decisions) as decisions, bool_or(is_pruned) as is_pruned
               from (select partition, max(seq) as last, count(*) as decisions, false as is_pruned
                       from usher.decision group by partition
                     union all
                     select partition, max(last_seq), sum(decisions), true from usher.pruned group by partition) as x
              group by partition) as d
    on d.partition = s.partition
 where s.next_seq is distinct from coalesce(d.last, 0) + 1 or d.is_pruned and d.decisions <> d.last
