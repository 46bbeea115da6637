-- Changes resources, none of which may have a later revision. $1 resources; rows are met as in commit_free.sql.
with changed as (
    update usher.resource as r
       set state = c.state, name = c.name, venue = c.venue, description = c.description,
           timezone = c.timezone, currency = c.currency, starts_at = c.starts_at,
           ends_at = c.ends_at, hold_ttl_s = c.hold_ttl_s, rev = c.rev, chart = c.chart,
           opens_at = c.opens_at, closes_at = c.closes_at, strategy = c.strategy,
           terms = c.terms, cancelling = c.cancelling, unserved = c.unserved
      from unnest($1::usher.resource_row[]) as c
     cross join lateral (
         select ctid as place
           from usher.resource
          where no = c.no and rev <= c.rev
         offset 0) as p
     where r.ctid = p.place
    returning 1)
select usher.expect('resources changed', count(*), cardinality($1)) from changed
