-- Deletes the keys of a resource that the database has no more, unless Redis has one of that name that was written since.
--
-- KEYS: its hash. ARGV: the prefix of all keys with its colon, its id, the epoch that began when it was deleted; how many
-- partitions' positions go with it, where all keys are cleared (see clear_key.lua), else 0; for how many seconds a
-- mark with that epoch stays, 0: none. By it write_resource.lua refuses owners of earlier epochs. One whose partition is quiet
-- does not notice that it is fenced: claiming the position for that epoch would refuse its signs of life, too.
-- Returns how many keys were deleted; 0 also where there is a later one.
local prefix, id = ARGV[1], ARGV[2]
local old = redis.pcall('HMGET', KEYS[1], 'epoch', 'layout', 'kind', 'state')
if tonumber(old[1]) and tonumber(old[1]) >= tonumber(ARGV[3]) then
  return 0
end
if ARGV[5] ~= '0' then
  redis.call('SET', prefix .. 'pruned:{' .. id .. '}', ARGV[3], 'EX', ARGV[5])
end
for partition = 0, tonumber(ARGV[4]) - 1 do
  redis.call('DEL', prefix .. 'shown:' .. partition)
end
local deleted = redis.call('DEL', KEYS[1], KEYS[1] .. ':seats', KEYS[1] .. ':pools', KEYS[1] .. ':catalogue',
    prefix .. 'takings:{' .. id .. '}')
redis.pcall('ZREM', prefix .. 'resources', id)
redis.pcall('SREM', prefix .. 'resources:kind:' .. (old[3] or ''), id)
redis.pcall('SREM', prefix .. 'resources:state:' .. (old[4] or ''), id)
if old[2] and old[2] ~= '' then
  local layout = prefix .. 'layout:' .. old[2]
  redis.pcall('SREM', layout .. ':resources', id)
  if redis.call('EXISTS', layout .. ':resources') == 0 then
    deleted = deleted + redis.call('DEL', layout)
  end
end
return deleted
