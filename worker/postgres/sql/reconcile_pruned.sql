-- What the next prune, or the one that runs, deletes from Redis.
select format('resource %s was pruned on %s, and Redis may still show it: the next prune deletes it there, or `rebuild-cache`',
              to_json(resource), to_char(pruned_at at time zone 'UTC', 'YYYY-MM-DD'))
  from usher.pruned
 where hidden_at is null
