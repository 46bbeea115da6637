-- Deletes a key when all keys are cleared, and with it the positions of all partitions: a worker
-- that had written the key again meanwhile finds its position missing, and writes all again, also
-- where whoever clears is killed.
--
-- KEYS: the key. ARGV: what the positions' keys begin with, how many partitions there are.
-- Returns how many keys of that name were deleted: 0 or 1.
for partition = 0, tonumber(ARGV[2]) - 1 do
  redis.call('DEL', ARGV[1] .. partition)
end
return redis.call('UNLINK', KEYS[1])
