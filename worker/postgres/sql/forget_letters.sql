-- Dead letters that name a customer lose their value, which cannot be taken apart. $1 customer, $2 pseudonym, for the
-- others' sake.
with changed as (
    update usher.dead_letter as l
       set value = null, truncated = true
      from usher.partition_state as s
     where l.partition = s.partition and l.seq <= s.published_seq and $2::text is not null
       and position(convert_to(to_json($1::text)::text, 'UTF8') in l.value) > 0
    returning 1)
select count(*) from changed
