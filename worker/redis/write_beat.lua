-- Writes a worker's sign of life for a partition, and how far Redis follows it (the position),
-- unless a later owner has written its own.
--
-- KEYS: the worker's hash, the contract's version, the position. ARGV: epoch, milliseconds to live,
-- the seq that the position must have reached already, the seq to store
-- (empty: none), then name, value ... of the hash.
-- Returns 0: written; 1: a later owner's is there; 2: the position is missing or went back, so that
-- Redis has lost what was written before it: it is left as it is.
local epoch, known = tonumber(ARGV[1]), tonumber(ARGV[3])
local position = redis.pcall('GET', KEYS[3])
local stored_epoch, stored_seq
if type(position) == 'string' then
  stored_epoch, stored_seq = string.match(position, '^(%d+)/(%d+)$')
end
local old_epoch = tonumber((redis.call('HGET', KEYS[1], 'epoch')))
if (old_epoch and old_epoch > epoch) or (stored_epoch and tonumber(stored_epoch) > epoch) then
  return 1
end

redis.call('SET', KEYS[2], '1', 'NX')
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if ARGV[4] ~= '' then
  if (tonumber(stored_seq) or -1) < known then
    return 2
  end
  redis.call('SET', KEYS[3], ARGV[1] .. '/' .. ARGV[4])
end
return 0
