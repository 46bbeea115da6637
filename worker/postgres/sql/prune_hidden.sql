-- Its keys in Redis are deleted. $1 number.
update usher.pruned set hidden_at = clock_timestamp() where resource_no = $1
