-- Save the next version of a match with all that it brings, or nothing.
--
-- KEYS  1 match  2 record  3 events  4 replies  5 due set  6 outbox
-- ARGV  1 the version that this one follows (0: the match is new)
--       2 the commit's own id, the same when the client sends it again
--       3 state  4 setup (new matches) or ''  5 ms that a sandbox match lives idle, or ''
--       6 the match's id in the due set  7 its score there, or '' to leave the set
--       8 the reply to keep, or ''
--       9 ms until the events may go, or ''
--       10 number of record entries, then the entries
--       .. number of events, then the events
--       .. number of outbox entries, then the entries
-- returns {'committed', id of each outbox entry ...}, also when this very commit came
--         before, or {'conflict'} if the match is at another version
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
local follows = tonumber(ARGV[1])
local first_event = (follows + 1) .. '-0'
if version ~= follows then
  local event = redis.call('XRANGE', KEYS[3], first_event, first_event)[1]
  if event and event[2][1] == 'commit' and event[2][2] == ARGV[2] then return {'committed'} end
  return {'conflict'}
end

local at = 10
local function take()
  local items, count = {}, tonumber(ARGV[at])
  for i = 1, count do items[i] = ARGV[at + i] end
  at = at + count + 1
  return items
end

redis.call('HSET', KEYS[1], 'version', follows + 1, 'state', ARGV[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'setup', ARGV[4]) end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'sandbox', 1) end
if ARGV[7] == '' then
  redis.call('ZREM', KEYS[5], ARGV[6])
else
  redis.call('ZADD', KEYS[5], ARGV[7], ARGV[6])
end
if ARGV[8] ~= '' then
  redis.call('LPUSH', KEYS[4], ARGV[8])
  redis.call('LTRIM', KEYS[4], 0, 63)
end
local entries = take()
if #entries > 0 then redis.call('RPUSH', KEYS[2], unpack(entries)) end
for n, event in ipairs(take()) do
  local id = (follows + 1) .. '-' .. (n - 1)
  redis.call('XADD', KEYS[3], id, 'commit', ARGV[2], 'event', event)
end
if ARGV[9] ~= '' then redis.call('PEXPIRE', KEYS[3], ARGV[9]) end
if ARGV[5] ~= '' then
  for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
end
local answer = {'committed'}
for _, entry in ipairs(take()) do
  answer[#answer + 1] = redis.call('XADD', KEYS[6], '*', 'entry', entry)
end
redis.call('PUBLISH', KEYS[3], follows + 1)
return answer
