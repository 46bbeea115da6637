-- Writes a resource and publishes its message, unless Redis has a later (epoch, rev) already.
--
-- KEYS: hash, seats, pools, chart, set of resources. ARGV: epoch, rev, from, channel, message, seats
-- and pools of the resource, SADD or SREM, its id, then three groups, each a count followed by that
-- many values: fields (name, value ...), patches of the seats (at, text ...), pools (name, value
-- ...); then, of a snapshot, the chart.
-- Returns 0: written; 1: Redis has a later one; 2: Redis lacks what the change starts from.
--
-- A change applies to any state of its epoch whose rev lies in [from, rev], because its values are
-- absolute; the lengths tell whether all parts of that state are there.
local epoch, rev, from = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local old = redis.pcall('HMGET', KEYS[1], 'epoch', 'rev')
local old_epoch, old_rev = tonumber(old[1]), tonumber(old[2])
if old_epoch and old_rev and
    (old_epoch > epoch or (old_epoch == epoch and old_rev > rev)) then
  return 1
end

local function complete(command, key, size)
  return redis.pcall(command, key) == tonumber(size)
end

if from == 0 then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
elseif old_epoch ~= epoch or not old_rev or old_rev < from
    or not complete('STRLEN', KEYS[2], ARGV[6])
    or not complete('HLEN', KEYS[3], ARGV[7])
    or redis.call('TYPE', KEYS[4]).ok ~= 'string' then
  return 2
end

-- HSET takes at most 500 pairs at once: Lua's stack is small.
local at = 10
local function set_fields(key)
  local last = at + tonumber(ARGV[at])
  for i = at + 1, last, 1000 do
    redis.call('HSET', key, unpack(ARGV, i, math.min(i + 999, last)))
  end
  at = last + 1
end

set_fields(KEYS[1])
local last = at + tonumber(ARGV[at])
for i = at + 1, last, 2 do
  redis.call('SETRANGE', KEYS[2], ARGV[i], ARGV[i + 1])
end
at = last + 1
set_fields(KEYS[3])
if from == 0 then
  redis.call('SET', KEYS[4], ARGV[at])
  -- Listed by the same guard: a late word of a former owner must not undo this one's. A list of
  -- another type is replaced with the next sign of life, after which all is written again.
  local listing = redis.call('TYPE', KEYS[5]).ok
  if listing == 'set' or listing == 'none' then
    redis.call(ARGV[8], KEYS[5], ARGV[9])
  end
end
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 0
