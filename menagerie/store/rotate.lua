-- Let a player's token die: the next generation's is good from now on.
--
-- KEYS  1 player
-- ARGV  1 the generation of the token that asks  2 the mark of this very request
-- returns {the present generation, 1 if this very request made it before, else 0};
--         {-1, 0} if the token that asks is dead, or there is no such player
local player = redis.call('HMGET', KEYS[1], 'generation', 'rotated_by')
local generation, asks = tonumber(player[1]), tonumber(ARGV[1])
if generation == asks then
  redis.call('HSET', KEYS[1], 'generation', asks + 1, 'rotated_by', ARGV[2])
  return {asks + 1, 0}
end
if generation == asks + 1 and player[2] == ARGV[2] then return {generation, 1} end
return {-1, 0}
