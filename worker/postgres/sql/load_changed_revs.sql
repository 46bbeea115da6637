-- Resources whose last change is one of the next $3 decisions after seq $2.
-- Later changes of a resource are found with them: each resource comes once, at its rev.
select resource.no, resource.rev
  from usher.decision
  join usher.resource on resource.no = decision.resource_no and resource.rev = decision.seq
 where decision.partition = $1
   and decision.seq > $2
   and decision.seq <= $2 + $3
 order by resource.rev
