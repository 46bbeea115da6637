-- Decisions, the latest first. $1 customer, $2 resource, $3 request id, $4 booking, $5 seconds ago at most, $6 rows at
-- most. The customer of a row is who asked, as the answer says: a booking itself knows only its present owner. What
-- concerns no booking, as a refusal, is found by no index of customers: of one customer it is looked for among the
-- decisions of the resource, or among all since that time. A transfer is in the view once for each owner, here once.
with concerned as not materialized (
    select *
      from usher.history
     where $1::text is null and resource = $2 and ($4::text is null or booking_number = usher.booking_number($2, $4))
    union all
    select h.*
      from (select distinct booking_number
              from usher.history
             where customer = $1 and ($2::text is null or resource = $2)) as b
     cross join lateral (select * from usher.history where booking_number = b.booking_number offset 0) as h
    union all
    select *
      from usher.history
     where $1::text is not null and $4::text is null and resource = $2 and booking_number is null
    union all
    select h.*
      from usher.partition_span(now() - $5::text::bigint * interval '1 second', 'infinity') as s
     cross join lateral (
         select *
           from usher.history
          where partition = s.partition and seq >= s.first_seq and seq < s.end_seq and booking_number is null
         offset 0) as h
     where $1::text is not null and $2::text is null and $5::text::bigint is not null
), told as (
    select * from concerned where outcome <> 'transferred'
    union all
    (select distinct on (partition, seq, booking_number) * from concerned where outcome = 'transferred')
)
select decided_at, resource, request_id, op, outcome, reason, detail, who.customer, who.to_customer, booking,
       case when not replayed then total end as total, currency, partition, seq, source_offset as "offset", unasked, replayed,
       client, answer
  from told
 cross join lateral (select answer ->> 'customer' as customer, null as to_customer offset 0) as who
 where ($3::text is null or request_id = $3) and ($4::text is null or booking_number = usher.booking_number($2, $4))
   and ($5::text::bigint is null or decided_at >= now() - $5::text::bigint * interval '1 second')
   and ($1::text is null or who.customer = $1 or who.to_customer = $1)
 order by decided_at desc, partition, seq desc
 limit $6::bigint
