-- Begins to prune a resource, and says to the statements that delete which, and to prune_end up to which seq answers were
-- published, as far as any beginning of this transaction knew. $1 number, $2 seconds, $3 id.
select set_config('usher.last', p.seq::text, true), set_config('usher.no', $1::bigint::text, true),
       set_config('usher.resource', $3, true),
       set_config('usher.published', greatest(p.seq, nullif(current_setting('usher.published', true), '')::bigint)::text, true)
  from usher.prune_begin($1, clock_timestamp() - $2::bigint * interval '1 second') as p (seq)
 where p.seq is not null
