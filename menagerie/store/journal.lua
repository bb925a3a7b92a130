-- Write down which events of a player's matches came in which order, and read on.
--
-- KEYS  1 journal  2 places: match id to the last of its events in the journal
-- ARGV  1 the entry after which to read  2 how many to read
--       3 how long an entry is kept, ms  4 the journal's life after its last reading, ms
--       then pairs: match id, event id; those of one match in their order
-- returns the entries after ARGV 1: {id, {'match', match id, 'event', event id}}
-- An event that is in the journal already is not added again.
local function is_after(one, other)
  local version, number = string.match(one, '(%d+)-(%d+)')
  local known, nth = string.match(other, '(%d+)-(%d+)')
  version, known = tonumber(version), tonumber(known)
  return version > known or version == known and tonumber(number) > tonumber(nth)
end

for i = 5, #ARGV, 2 do
  local match, event = ARGV[i], ARGV[i + 1]
  if is_after(event, redis.call('HGET', KEYS[2], match) or '0-0') then
    redis.call('XADD', KEYS[1], '*', 'match', match, 'event', event)
    redis.call('HSET', KEYS[2], match, event)
  end
end
if #ARGV > 4 then
  local time = redis.call('TIME')
  redis.call('XTRIM', KEYS[1], 'MINID', '~', (time[1] * 1000) - ARGV[3])
end
for i = 1, 2 do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
return redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])
