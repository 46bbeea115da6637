-- Decisions, the latest first. $1 customer, $2 resource, $3 request id, $4 booking, $5 rows at most.
select decided_at, resource, request_id, op, outcome, reason, detail, customer, booking, total, currency, partition, seq,
       source_offset as "offset", unasked, replayed, client, answer
  from usher.history
 where ($1::text is null or customer = $1) and ($2::text is null or resource = $2)
   and ($3::text is null or request_id = $3)
   and ($4::text is null or booking_number = usher.booking_number($2, $4))
 order by decided_at desc, partition, seq desc
 limit $5::bigint
