-- Records that could not be processed, the latest first; key and value as hexadecimal digits.
-- $1 resource, $2 reason, $3 partition-seq, $4 rows at most.
select partition || '-' || seq as id, partition, seq, source_offset, decided_at, reason, detail, resource, request_id,
       client, size, truncated, encode(key, 'hex') as key_hex, encode(value, 'hex') as value_hex
  from usher.dead_letters
 where ($1::text is null or resource = $1) and ($2::text is null or reason = $2)
   and ($3::text is null
        or partition = split_part($3, '-', 1)::integer and seq = split_part($3, '-', 2)::bigint)
 order by decided_at desc, partition, seq desc
 limit $4::bigint
