-- Seqs are dense from 1 on but for what was pruned or lost, and published before, and time does not go back but where it was set back, and no further.
select case when seq <> before + 1
            then format('partition %s: no decision between seq %s and %s',
                        partition, before, seq)
            else format('partition %s: decision %s was decided before the one before it',
                        partition, seq) end
  from (select partition, seq, decided_at,
               lag(seq, 1, 0::bigint) over by_seq as before,
               lag(decided_at) over by_seq as decided_before
          from usher.decision
        window by_seq as (partition by partition order by seq)) as d
 where seq <> before + 1
       and seq - 1 > (select s.published_seq from usher.partition_state as s where s.partition = d.partition)
    or seq <> before + 1
       and not exists (select from usher.pruned as p where p.partition = d.partition and p.last_seq >= d.before + 1)
       and not exists (select from usher.partition_skip as k
                        where k.partition = d.partition and k.from_offset = k.to_offset and k.placeholders = 0
                          and k.next_seq > d.before + 1 and k.next_seq <= d.seq)
    or decided_at < decided_before
       and not exists (select from usher.clock_reset as r
                        where r.partition = d.partition and r.seq > d.before and r.seq <= d.seq
                          and r.became <= d.decided_at)
