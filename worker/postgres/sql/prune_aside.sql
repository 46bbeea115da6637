-- Repeats, and what could not be read.
delete from usher.decision as d
 where d.resource = current_setting('usher.resource') and not d.first and d.booking_no is null
   and d.partition = (current_setting('usher.no')::bigint >> 48)::integer and d.seq <= current_setting('usher.last')::bigint
returning *
