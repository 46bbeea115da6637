-- The waiting lists of the resources that load_resources.sql selects. $4 number behind which to begin, $5 how many
-- parties at most, $6 bytes: it ends with the party that passes them.
with wanted as (
    select r.no, k.ord
      from unnest($1::text[]) with ordinality as k (id, ord)
     cross join lateral (
         select no from usher.resource where partition = $3 and id = k.id offset 0) as r
    union all
    select r.no, k.ord
      from unnest($2::bigint[]) with ordinality as k (no, ord)
     cross join lateral (
         select no, partition from usher.resource where no = k.no offset 0) as r
     where r.partition = $3)
select *
  from (select b.*, count(*) over ()::integer as found, sum(b.size) over (order by b.ord, b.no) - b.size as before
          from (select w.ord, b.*,
                       octet_length(coalesce(b.wants, '')) + octet_length(coalesce(b.meta, '')) + 200 as size
                  from wanted as w
                 cross join lateral (
                     select * from usher.booking
                      where resource_no = w.no and no > $4 and state = 'waiting'
                      order by resource_no, no offset 0) as b
                 limit $5::bigint) as b) as b
 where before < $6::bigint
 order by ord, no
