delete from usher.booking
 where no in (
        select d.booking_no from usher.decision as d
         where d.resource_no = current_setting('usher.no')::bigint and d.first
           and d.booking_no = (d.partition::bigint << 48 | d.seq))
returning *
