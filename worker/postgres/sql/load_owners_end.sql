-- The last request id's hash that load_owners.sql looks at; nothing where there are none behind it. Its parameters.
select id_hash
  from usher.decision
 where resource_no = $1 and first and id_hash > $2
 order by id_hash offset $3::bigint - 1 limit 1
