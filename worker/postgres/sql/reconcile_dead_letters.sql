-- Every invalid decision of a record has a dead letter, and no other has one.
select format('partition %s: decision %s is %s',
              coalesce(d.partition, l.partition), coalesce(d.seq, l.seq),
              case when l.seq is null then 'invalid, but not dead-lettered'
                   else 'dead-lettered, but not invalid' end)
  from (select partition, seq from usher.decision where outcome = 'invalid' and source_offset is not null) as d
  full join usher.dead_letter as l on l.partition = d.partition and l.seq = d.seq
 where d.seq is null or l.seq is null
