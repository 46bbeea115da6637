-- Charts by their hashes. $1 hashes, $2 partition, $3 bytes: it ends with the one that passes them. `ord` and `found`
-- are as in load_resources.sql.
select *
  from (select c.*, k.ord::integer, count(*) over ()::integer as found,
               sum(octet_length(c.content)) over (order by k.ord) - octet_length(c.content) as before
          from unnest($1::text[]) with ordinality as k (hash, ord)
         cross join lateral (
             select hash, content from usher.chart where partition = $2 and hash = k.hash offset 0) as c) as c
 where before < $3::bigint
 order by ord
