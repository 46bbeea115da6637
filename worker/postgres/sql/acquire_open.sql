-- Holds that are open, and parties that wait. $1 partition. Behind the acquire, so that no predecessor makes any more.
select count(*) filter (where state = 'held'), count(*) filter (where state = 'waiting')
  from usher.booking
 where partition = $1 and state in ('held', 'blocked', 'waiting') and expires_at is not null
