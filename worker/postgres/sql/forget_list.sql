-- Bookings that a customer has, or had before they were transferred; over: nothing can become of it any more, and what was
-- answered about it is known to be published. $1 customer; $2 those after this one, $3 so many.
select b.no, r.id, b.request_id, b.state,
       (b.state in ('released', 'cancelled', 'left')
        or b.state in ('confirmed', 'expired')
           and (r.state = 'closed'
                or greatest(coalesce(r.ends_at, r.starts_at),
                            (select (max(p.night) + 1 + time '12:00') at time zone 'UTC' -- morning everywhere
                               from json_array_elements(b.lines::json) as l (line)
                               join usher.pool as p on p.resource_no = r.no and p.index = (l.line ->> 1)::integer)
                           ) < clock_timestamp() - interval '1 day'))
       and (b.no & ((1::bigint << 48) - 1)) <= s.published_seq
       and not exists (select from usher.decision as d
                        where d.booking_no = b.no and d.booking_no <> (d.partition::bigint << 48 | d.seq)
                          and d.seq > s.published_seq)
       and not exists (select from usher.cart_decision as c where c.booking = b.no and c.seq > s.published_seq)
  from usher.booking as b
  join usher.resource as r on r.no = b.resource_no
  join usher.partition_state as s on s.partition = b.partition
 where b.no in (select o.no from usher.booking as o where o.customer = $1 and o.state <> 'held'
                union
                select o.no from usher.booking as o
                 where o.customer = $1 and o.state = 'held' and o.expires_at is not null
                union
                select f.booking from usher.former_owner as f where f.customer = $1)
   and b.no > $2::bigint
 order by b.no
 limit $3::integer
