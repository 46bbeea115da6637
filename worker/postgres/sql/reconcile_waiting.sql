-- A waiting party says for what and until when, and has nothing yet.
select format('resource %s: booking %s waits, but %s', to_json(r.id), to_json(b.request_id),
              case when b.wants is null then 'for nothing'
                   when b.expires_at is null then 'without an end'
                   when b.customer is null then 'without a customer' else 'costs something' end)
  from usher.booking as b
  left join usher.resource as r on r.no = b.resource_no
 where b.state = 'waiting'
   and (b.wants is null or b.expires_at is null or b.customer is null or b.total <> 0)
