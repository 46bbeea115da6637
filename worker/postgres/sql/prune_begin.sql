-- Begins to prune a resource, and says to the statements that delete which. $1 number, $2 seconds, $3 id.
select set_config('usher.last', p.seq::text, true), set_config('usher.no', $1::bigint::text, true),
       set_config('usher.resource', $3, true)
  from usher.prune_begin($1, clock_timestamp() - $2::bigint * interval '1 second') as p (seq)
 where p.seq is not null
