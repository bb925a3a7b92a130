-- Read a match, the server's time, and what is kept of an idempotency key.
--
-- KEYS  the keys of the match (keys.py, of_match): match, record, events, replies, verdict
-- ARGV  1 the mark of the idempotency key, or ''
--       2 how long an idle sandbox match lives, ms
-- returns {time in ms, version or nil, setup, state, kept reply or nil}
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local match = redis.call('HMGET', KEYS[1], 'version', 'setup', 'state', 'sandbox')
if match[4] then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end
end
local kept = false
if ARGV[1] ~= '' then
  for _, reply in ipairs(redis.call('LRANGE', KEYS[4], 0, -1)) do
    if string.sub(reply, 1, #ARGV[1]) == ARGV[1] then kept = reply break end
  end
end
return {now_ms, match[1], match[2], match[3], kept}
