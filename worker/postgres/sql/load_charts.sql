-- Charts by their hashes. $1 hashes, $2 partition.
select c.*
  from unnest($1::text[]) as k (hash)
 cross join lateral (
     select hash, content from usher.chart where partition = $2 and hash = k.hash offset 0) as c
