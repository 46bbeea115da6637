-- Sets what selling changes of a resource. $1 marks; rows are met as in commit_free.sql.
with changed as (
    update usher.resource as r
       set rev = m.rev, cancelling = m.cancelling, unserved = m.unserved
      from unnest($1::usher.resource_mark_row[]) as m
     cross join lateral (
         select ctid as place
           from usher.resource
          where no = m.no and rev <= m.rev
         offset 0) as p
     where r.ctid = p.place
    returning 1)
select usher.expect('resources marked', count(*), cardinality($1)) from changed
