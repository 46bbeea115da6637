-- A decision names bookings of its own resource only.
select format('decision %s of partition %s names booking %s, which %s', h.seq, h.partition,
              h.no, case when b.no is null then 'is unknown'
                         else 'is of another resource' end)
  from (select partition, seq, resource_no, booking_no as no from usher.decision
         where booking_no is not null
        union all
        select d.partition, d.seq, d.resource_no, n.no
          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h
  left join usher.booking as b on b.no = h.no
 where b.no is null or b.resource_no is distinct from h.resource_no
