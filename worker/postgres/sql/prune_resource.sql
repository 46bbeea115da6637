delete from usher.resource where no = current_setting('usher.no')::bigint returning *
