-- Put a match into the lists that it belongs to now, and out of the others.
--
-- KEYS  1 versions, then every list that the match is or was in
-- ARGV  1 match id  2 its version  3 its score (created at, ms)
--       then for each list '1' to be in it, '0' not to be
-- returns 1, or 0 if the lists know a later version already
local known = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if known > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
for i = 2, #KEYS do
  if ARGV[i + 2] == '1' then
    redis.call('ZADD', KEYS[i], ARGV[3], ARGV[1])
  else
    redis.call('ZREM', KEYS[i], ARGV[1])
  end
end
return 1
