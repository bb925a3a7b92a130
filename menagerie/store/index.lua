-- Put a match into the lists that it belongs to now, and out of the others.
--
-- KEYS  1 versions, then every list that the match is or was in
-- ARGV  1 match id  2 its version
--       then for each list the match's score in it, or '' not to be in it
-- returns 1, or 0 if the lists know a later version already
-- A match that comes to a list or leaves it is published on the list's own name.
local known = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if known > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
for i = 2, #KEYS do
  local score, changed = ARGV[i + 1]
  if score == '' then
    changed = redis.call('ZREM', KEYS[i], ARGV[1])
  else
    changed = redis.call('ZADD', KEYS[i], score, ARGV[1])
  end
  if changed == 1 then redis.call('PUBLISH', KEYS[i], ARGV[1]) end
end
return 1
