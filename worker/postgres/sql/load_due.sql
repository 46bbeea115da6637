-- Holds, blocks and waiting parties that expire, in that order. $1 partition, $2 time and $3 number of the last one
-- known, $4 until when, $5 how many at most, $6 bytes: it ends with the one that passes them. `found` is as in
-- load_resources.sql.
select *
  from (select b.*, count(*) over ()::integer as found, sum(b.size) over (order by b.expires_at, b.no) - b.size as before
          from (select *, octet_length(lines) + octet_length(coalesce(wants, ''))
                          + octet_length(coalesce(meta, '')) + 200 as size
                  from usher.booking
                 where partition = $1 and state in ('held', 'blocked', 'waiting') and expires_at is not null
                   and (expires_at, no) > (coalesce($2::timestamptz, '-infinity'), $3)
                   and expires_at <= $4
                 order by expires_at, no
                 limit $5::bigint) as b) as b
 where before < $6::bigint
 order by expires_at, no
