-- Writes a worker's sign of life for a partition, and how far Redis follows it (the position),
-- unless a later owner has written its own. A key of ours that somebody gave another type would
-- refuse every write: it is deleted.
--
-- KEYS: the worker's hash, the contract's version, the position, the sorted list of resources, the
-- other lists. ARGV: epoch, milliseconds to live, the epoch and the seq that the position must have
-- reached already, the seq to store (empty: none), how many partitions there are, the version, then
-- name, value ... of the hash.
-- Returns 0: written; 1: a later owner's is there; 2: the position is missing or went back, so that
-- Redis has lost what was written before it: it is left as it is; or, as text, which keys were
-- deleted: all but the position was written.
local epoch, known_epoch, known_seq = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local position = redis.pcall('GET', KEYS[3])
local stored_epoch, stored_seq
if type(position) == 'string' then
  stored_epoch, stored_seq = string.match(position, '^(%d+)/(%d+)$')
end
stored_epoch, stored_seq = tonumber(stored_epoch), tonumber(stored_seq)

local deleted = {}
local function delete_unless(kind, key)
  local found = redis.call('TYPE', key).ok
  if found == kind or found == 'none' then
    return false
  end
  redis.call('DEL', key)
  table.insert(deleted, key .. ' (' .. found .. ', not ' .. kind .. ')')
  return true
end

delete_unless('hash', KEYS[1])
delete_unless('string', KEYS[2])
local old_epoch = tonumber((redis.call('HGET', KEYS[1], 'epoch')))
if (old_epoch and old_epoch > epoch) or (stored_epoch and stored_epoch > epoch) then
  return 1
end

redis.call('SET', KEYS[2], ARGV[7], 'NX')
redis.call('HSET', KEYS[1], unpack(ARGV, 8))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
-- All partitions have lost what they had listed: none of their positions is true any more.
local lost = delete_unless('zset', KEYS[4])
for i = 5, #KEYS do
  lost = delete_unless('set', KEYS[i]) or lost
end
if lost then
  local positions = string.match(KEYS[3], '^(.*:)%d+$')
  for partition = 0, tonumber(ARGV[6]) - 1 do
    redis.call('DEL', positions .. partition)
  end
end
if #deleted > 0 then
  return table.concat(deleted, ', ')
end
if ARGV[5] ~= '' then
  if not stored_epoch or stored_epoch < known_epoch
      or (stored_epoch == known_epoch and stored_seq < known_seq) then
    return 2
  end
  redis.call('SET', KEYS[3], ARGV[1] .. '/' .. ARGV[5])
end
return 0
