-- Decisions, the latest first. $1 customer, $2 resource, $3 request id, $4 booking, $5 seconds ago at most, $6 rows at
-- most. The customer of a row is who asked, as the answer says: a booking itself knows only its present owner. That of a
-- transfer is the new owner; the one before was told by the decision before. What concerns no booking, as a refusal, is
-- found by no index of customers: of one customer it is looked for among the decisions of the resource, or among all
-- since that time; only the answers of transfers and of that customer are read whole. A transfer is in the view once for
-- each owner, here once.
with concerned as not materialized (
    select *
      from usher.history
     where $1::text is null and resource = $2 and ($3::text is null or request_id = $3)
       and ($4::text is null or booking_number = usher.booking_number($2, $4))
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
       and (answer ->> 'customer' = $1 or outcome = 'transferred')
    union all
    select h.*
      from usher.partition_span(now() - $5::text::bigint * interval '1 second', 'infinity') as s
     cross join lateral (
         select *
           from usher.history
          where partition = s.partition and seq >= s.first_seq and seq < s.end_seq and booking_number is null
            and (answer ->> 'customer' = $1 or outcome = 'transferred')
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
 cross join lateral (
     select case when outcome = 'transferred' then answer ->> 'customer' end as to_customer,
            case when outcome <> 'transferred' then answer ->> 'customer'
                 else (select b.answer ->> 'customer'
                         from usher.history as b
                        where b.booking_number = usher.booking_number(told.resource, told.answer ->> 'booking')
                          and b.seq < (select min(t.seq)
                                         from usher.history as t
                                        where t.booking_number = usher.booking_number(told.resource, told.answer ->> 'booking')
                                          and t.request_id = told.request_id and t.outcome = 'transferred')
                        order by b.seq desc limit 1) end as customer offset 0) as who
 where ($3::text is null or request_id = $3) and ($4::text is null or booking_number = usher.booking_number($2, $4))
   and ($5::text::bigint is null or decided_at >= now() - $5::text::bigint * interval '1 second')
   and ($1::text is null or who.customer = $1 or who.to_customer = $1)
 order by decided_at desc, partition, seq desc
 limit $6::bigint
