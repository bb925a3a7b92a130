-- Count a result: experience, ratings and places on the leaderboard, once a match.
--
-- KEYS  1 counted matches  2 leaderboard of the game  3 White's player  4 Black's
-- ARGV  1 match id  2 the field of the game's rating
--       then for White and for Black:
--       id on the leaderboard, rating as it was read or '', rating after it,
--       score on the leaderboard, experience earned
-- returns 'counted', or 'again' if the match has been counted before, or 'conflict' if a
--         rating is no longer as it was read: then nothing is changed
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 'again' end
for side = 0, 1 do
  local now = redis.call('HGET', KEYS[3 + side], ARGV[2]) or ''
  if now ~= ARGV[4 + side * 5] then return 'conflict' end
end
for side = 0, 1 do
  local player, at = KEYS[3 + side], 3 + side * 5
  redis.call('HSET', player, ARGV[2], ARGV[at + 2])
  redis.call('ZADD', KEYS[2], ARGV[at + 3], ARGV[at])
  if ARGV[at + 4] ~= '0' then redis.call('HINCRBY', player, 'xp', ARGV[at + 4]) end
end
redis.call('SADD', KEYS[1], ARGV[1])
return 'counted'
