-- Holds, blocks and waiting parties that expire, in that order. $1 partition, $2 time and $3 number of the last one
-- known, $4 until when, $5 how many at most.
select *
  from usher.booking
 where partition = $1 and state in ('held', 'blocked', 'waiting') and expires_at is not null
   and (expires_at, no) > (coalesce($2::timestamptz, '-infinity'), $3)
   and expires_at <= $4
 order by expires_at, no
 limit $5
