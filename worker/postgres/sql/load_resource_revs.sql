-- All resources of a partition after number $2, by number; numbers begin with the partition.
select no, rev
  from usher.resource
 where partition = $1
   and no > $2
   and no < ($1::bigint + 1) << 48
 order by no
 limit $3
