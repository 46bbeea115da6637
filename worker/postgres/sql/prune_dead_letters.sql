-- Dead letters that name the resource.
delete from usher.dead_letter as l
 using usher.decision as d
 where l.partition = d.partition and l.seq = d.seq
   and d.resource = current_setting('usher.resource') and not d.first and d.booking_no is null
   and d.partition = (current_setting('usher.no')::bigint >> 48)::integer and d.seq <= current_setting('usher.last')::bigint
returning l.*
