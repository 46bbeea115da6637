-- Marks the keys as those of a version of the contract, unless they are of a version that this one
-- does not replace. Where they are of the one that it replaces, the positions are deleted: so their
-- owners write all resources again.
--
-- KEYS: the contract's version. ARGV: the version, the one that it replaces, what the positions'
-- keys begin with, how many partitions there are.
-- Returns the version that the keys are of now.
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'string' and found ~= ARGV[2] then
  return found
end
for partition = 0, type(found) == 'string' and tonumber(ARGV[4]) - 1 or -1 do
  redis.call('DEL', ARGV[3] .. partition)
end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
