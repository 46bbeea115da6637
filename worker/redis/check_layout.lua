-- Looks who has a layout: a resource is in its set for as long as its hash names it.
--
-- KEYS: the layout, its set. ARGV: its name, what the keys of resources begin with, 1: those that
-- have another one are removed, and the layout if they are all.
-- Returns how many have another one.
local foreign_members = 0
for _, id in ipairs(redis.pcall('SMEMBERS', KEYS[2])) do
  local layout = redis.pcall('HGET', ARGV[2] .. '{' .. id .. '}', 'layout')
  if type(layout) == 'string' and layout ~= ARGV[1] then
    foreign_members = foreign_members + 1
    if ARGV[3] == '1' then
      redis.call('SREM', KEYS[2], id)
    end
  end
end
if foreign_members > 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
end
return foreign_members
