-- Inserts resources. $1 partition, $2 resources.
insert into usher.resource (partition, no, id, state, name, venue, description, timezone, currency, starts_at, ends_at,
                            hold_ttl_s, rev, chart, opens_at, closes_at, strategy, terms, cancelling, unserved)
select $1, r.* from unnest($2::usher.resource_row[]) as r
