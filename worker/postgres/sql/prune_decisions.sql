delete from usher.decision as d
 where d.resource_no = current_setting('usher.no')::bigint and d.first and d.seq <= current_setting('usher.last')::bigint
returning *
