delete from usher.pool where resource_no = current_setting('usher.no')::bigint returning *
