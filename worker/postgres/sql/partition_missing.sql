-- Decisions that are to be published and are not there. $1 partition, $2 its next seq.
select count(*), coalesce(min(g.seq), 0), coalesce(max(g.seq), 0)
  from usher.partition_state as s
 cross join generate_series(s.published_seq + 1, $2::bigint - 1) as g (seq)
 where s.partition = $1
   and not exists (select from usher.decision as d where d.partition = s.partition and d.seq = g.seq)
