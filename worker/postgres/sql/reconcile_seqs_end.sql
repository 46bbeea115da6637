-- The last decision is the one before next_seq, and where some were pruned or lost, no more are missing. (Elsewhere each gap is
-- told by itself.) A placeholder may stand for one that was pruned.
select format(case when s.next_seq is distinct from coalesce(d.last, 0) + 1
                   then 'partition %1$s: the last decision is %2$s, but the next is to be %3$s'
                   else 'partition %1$s: %4$s of %2$s decisions are there, were pruned, or are known to be lost' end,
              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq, d.decisions)
  from usher.partition_state as s
  full join (select partition, max(last) as last, sum(decisions) as decisions, sum(placeholders) as placeholders,
                    bool_or(is_thinned) as is_thinned
               from (select partition, max(seq) as last, count(*) as decisions, 0 as placeholders, false as is_thinned
                       from usher.decision group by partition
                     union all
                     select partition, max(last_seq), sum(decisions), 0, true from usher.pruned group by partition
                     union all
                     select partition, max(next_seq) - 1, sum(records), sum(placeholders), true
                       from usher.partition_skip where from_offset = to_offset group by partition) as x
              group by partition) as d
    on d.partition = s.partition
 where s.next_seq is distinct from coalesce(d.last, 0) + 1 or d.is_thinned and d.decisions not between d.last and d.last + d.placeholders
