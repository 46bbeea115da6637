-- The numbers of resources with work that outlasts a batch. $1 partition, $2 number behind which to begin, $3 how many
-- at most.
select no
  from usher.resource
 where partition = $1 and no > $2 and (unserved or cancelling is not null)
 order by no
 limit $3
