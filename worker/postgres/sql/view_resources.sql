-- What is sold. $1 resource, $2 kind, $3 state, $4 venue, $5 rows at most.
select resource, kind, name, venue, state, starts_at, timezone, currency, total, held, sold, blocked, waiting, rev, partition
  from usher.catalogue
 where ($1::text is null or resource = $1) and ($2::text is null or kind = $2) and ($3::text is null or state = $3)
   and ($4::text is null or lower(venue) = lower($4))
 order by starts_at nulls last, resource
 limit $5::bigint
