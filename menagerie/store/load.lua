-- Read a match, the server's time, and what is kept of an idempotency key.
--
-- KEYS  1-5 the keys of the match (keys.py, of_match): match, record, events, replies, verdict
--       6 the counter of the caller's moves, if they are limited
-- ARGV  1 the mark of the idempotency key, or ''
--       2 how long an idle sandbox match lives, ms
--       3 the window of the counter, ms
-- returns {time in ms, version or nil, setup, state, kept reply or nil,
--          moves asked for in this window with this one, ms until the next window}
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local match = redis.call('HMGET', KEYS[1], 'version', 'setup', 'state', 'sandbox')
if match[4] then
  for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
end
local kept = false
if ARGV[1] ~= '' then
  for _, reply in ipairs(redis.call('LRANGE', KEYS[4], 0, -1)) do
    if string.sub(reply, 1, #ARGV[1]) == ARGV[1] then kept = reply break end
  end
end
if not KEYS[6] or not match[1] then return {now_ms, match[1], match[2], match[3], kept} end
local moves = redis.call('INCR', KEYS[6])
if moves == 1 then redis.call('PEXPIRE', KEYS[6], ARGV[3]) end
return {now_ms, match[1], match[2], match[3], kept, moves, redis.call('PTTL', KEYS[6])}
