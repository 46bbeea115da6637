-- The waiting lists of the resources that load_resources.sql selects.
with wanted as (
    select r.no
      from unnest($1::text[]) as k (id)
     cross join lateral (
         select no from usher.resource where partition = $3 and id = k.id offset 0) as r
    union
    select r.no
      from unnest($2::bigint[]) as k (no)
     cross join lateral (
         select no, partition from usher.resource where no = k.no offset 0) as r
     where r.partition = $3
    union
    select no
      from usher.resource
     where $4 and partition = $3 and (unserved or cancelling is not null))
select b.*
  from wanted as w
 cross join lateral (
     select * from usher.booking where resource_no = w.no and state = 'waiting' offset 0) as b
 order by b.resource_no, b.no
