-- Claims the position of a partition for its owner: creates a missing one with seq 0, and raises
-- the epoch of an earlier owner's. From then on a position that is missing or has a lower epoch
-- shows that Redis was emptied, whoever created it again.
--
-- KEYS: the position. ARGV: epoch.
-- Returns the position that is stored now; a later owner's stays as it is.
local epoch = tonumber(ARGV[1])
local position = redis.pcall('GET', KEYS[1])
local stored_epoch, stored_seq
if type(position) == 'string' then
  stored_epoch, stored_seq = string.match(position, '^(%d+)/(%d+)$')
end
if stored_epoch and tonumber(stored_epoch) >= epoch then
  return position
end
position = ARGV[1] .. '/' .. (stored_seq or '0')
redis.call('SET', KEYS[1], position)
return position
