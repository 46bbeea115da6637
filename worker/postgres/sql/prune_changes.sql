-- What became of its bookings without a request of its own.
delete from usher.decision as c
 where c.booking_no in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))
   and c.booking_no is not null and c.booking_no <> (c.partition::bigint << 48 | c.seq) and not c.first
returning *
