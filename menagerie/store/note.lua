-- Append notes to a match that is still at this version, and set when to look at it next.
--
-- KEYS  1 match  2 record  3 events  4 due set
-- ARGV  1 the version
--       2 the notes' own id, the same whoever appends them, or '' if there are none
--       3 the match's id in the due set
--       4 its score there, '' to leave the set, or 'keep'
--       5 ms that a sandbox match lives idle, or ''
--       6 number of notes, then for each its line of the record and its event
-- returns 'noted', 'known' if these notes are there already, or 'conflict' if the match has
--         moved on, and then changes nothing
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 'conflict' end
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[4], ARGV[3])
elseif ARGV[4] ~= 'keep' then
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[3])
end
local count = tonumber(ARGV[6])
if count == 0 then return 'noted' end
local told = redis.call('XRANGE', KEYS[3], ARGV[1] .. '-0', ARGV[1])
for _, event in ipairs(told) do
  if event[2][2] == ARGV[2] then return 'known' end
end
for n = 0, count - 1 do
  redis.call('RPUSH', KEYS[2], ARGV[7 + 2 * n])
  redis.call('XADD', KEYS[3], ARGV[1] .. '-' .. (#told + n), 'commit', ARGV[2], 'event', ARGV[8 + 2 * n])
end
if ARGV[5] ~= '' then
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
end
redis.call('PUBLISH', KEYS[3], ARGV[1])
return 'noted'
