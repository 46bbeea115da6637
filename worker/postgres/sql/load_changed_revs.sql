-- Resources whose last change is one of the next $3 decisions after seq $2.
-- Later changes of a resource are found with them: each resource comes once, at its rev.
select r.no, r.rev
  from usher.decision as d
 cross join lateral (
     select no, rev from usher.resource where no = d.resource_no offset 0) as r
 where d.partition = $1
   and d.seq > $2
   and d.seq <= $2 + $3
   and r.rev = d.seq
 order by r.rev
