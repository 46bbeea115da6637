delete from usher.allocation
 where pool in (select no from usher.pool where resource_no = current_setting('usher.no')::bigint)
returning *
