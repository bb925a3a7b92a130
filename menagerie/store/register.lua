-- Make a player.
--
-- KEYS  1 player
-- ARGV  1 name  2 the fingerprint of the request, or ''
-- returns {created at, ms; 1 if made now, 0 if there was one; the request that made it}
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local made = redis.call('HSETNX', KEYS[1], 'created_ms', now_ms)
if made == 1 then
  redis.call('HSET', KEYS[1], 'name', ARGV[1], 'generation', 0, 'request', ARGV[2])
end
local player = redis.call('HMGET', KEYS[1], 'created_ms', 'request')
return {tonumber(player[1]), made, player[2]}
