-- Writes a resource and publishes its messages, unless Redis has a later (epoch, rev) already, or it
-- was pruned in a later epoch.
--
-- KEYS: hash, seats, pools, catalogue, layout (its name is empty where there are no seats),
-- takings; then, of a snapshot, the mark of a pruned resource (see forget_resource.lua), the sorted
-- list of resources and the other lists.
-- ARGV: epoch, rev, from, channel of the resource, message, channel of all resources, message, its
-- id, seats and pools that it has, the name of its layout, its takings, then three groups, each a
-- count followed by that many values: fields (name, value ...), patches of the seats (at, text
-- ...), pools (name, value ...); then, of a snapshot, the catalogue, its score in the sorted list
-- (empty: not listed), for each of the other lists 1 or 0, and the layout (empty: it must be there).
-- Returns 0: written; 1: Redis has a later one, or it was pruned; 2: Redis lacks what the change
-- starts from; 3: it lacks the layout, and nothing was written.
--
-- A change applies to any state of its epoch whose rev lies in [from, rev], because its values are
-- absolute; the lengths tell whether all parts of that state are there.
local epoch, rev, from = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local id, layout = ARGV[8], ARGV[11]
local old = redis.pcall('HMGET', KEYS[1], 'epoch', 'rev', 'layout')
local old_epoch, old_rev = tonumber(old[1]), tonumber(old[2])
if old_epoch and old_rev and
    (old_epoch > epoch or (old_epoch == epoch and old_rev > rev)) then
  return 1
end

local function is(kind, key)
  return redis.call('TYPE', key).ok == kind
end

local function complete(command, key, size)
  return redis.pcall(command, key) == tonumber(size)
end

if from == 0 then
  local pruned = tonumber(redis.pcall('GET', KEYS[7]))
  if pruned and pruned > epoch then
    return 1
  end
  if layout ~= '' and ARGV[#ARGV] == '' and not is('string', KEYS[5]) then
    return 3
  end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
elseif old_epoch ~= epoch or not old_rev or old_rev < from
    or not complete('STRLEN', KEYS[2], ARGV[9])
    or not complete('HLEN', KEYS[3], ARGV[10])
    or not is('string', KEYS[4])
    or (layout ~= '' and not is('string', KEYS[5])) then
  return 2
end

-- HSET takes at most 500 pairs at once: Lua's stack is small.
local at = 13
local function set_fields(key)
  local last = at + tonumber(ARGV[at])
  for i = at + 1, last, 1000 do
    redis.call('HSET', key, unpack(ARGV, i, math.min(i + 999, last)))
  end
  at = last + 1
end

set_fields(KEYS[1])
redis.call('SET', KEYS[6], ARGV[12])
local last = at + tonumber(ARGV[at])
for i = at + 1, last, 2 do
  redis.call('SETRANGE', KEYS[2], ARGV[i], ARGV[i + 1])
end
at = last + 1
set_fields(KEYS[3])

-- A layout stays for as long as a resource has it, which the set beside it tells: the last one to
-- leave it deletes it.
local function leave_layout(key)
  local resources = key .. ':resources'
  redis.pcall('SREM', resources, id)
  if redis.call('EXISTS', resources) == 0 then
    redis.call('DEL', key)
  end
end

local function join_layout(key, text)
  local resources = key .. ':resources'
  if text ~= '' then
    redis.call('SET', key, text)
  end
  if not is('set', resources) then
    redis.call('DEL', resources)
  end
  redis.call('SADD', resources, id)
end

-- Listed by the same guard: a late word of a former owner must not undo this one's. A list of
-- another type is replaced with the next sign of life, after which all is written again.
local function list(key, kind, command, ...)
  if is(kind, key) or is('none', key) then
    redis.call(command, key, ...)
  end
end

if from == 0 then
  local catalogue, score, lists, text = unpack(ARGV, at)
  redis.call('SET', KEYS[4], catalogue)
  if layout ~= '' then
    join_layout(KEYS[5], text)
  end
  if old[3] and old[3] ~= '' and old[3] ~= layout then
    leave_layout(string.sub(KEYS[5], 1, #KEYS[5] - #layout) .. old[3])
  end
  if score == '' then
    list(KEYS[8], 'zset', 'ZREM', id)
  else
    list(KEYS[8], 'zset', 'ZADD', score, id)
  end
  for i = 9, #KEYS do
    list(KEYS[i], 'set', string.sub(lists, i - 8, i - 8) == '1' and 'SADD' or 'SREM', id)
  end
end
redis.call('PUBLISH', ARGV[4], ARGV[5])
redis.call('PUBLISH', ARGV[6], ARGV[7])
return 0
