-- The last decision is the one before next_seq.
select format('partition %s: the last decision is %s, but the next is to be %s',
              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq)
  from usher.partition_state as s
  full join (select partition, max(seq) as last from usher.decision group by partition) as d
    on d.partition = s.partition
 where s.next_seq is distinct from coalesce(d.last, 0) + 1
