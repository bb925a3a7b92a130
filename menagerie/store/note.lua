-- Append notes to a match that is still at this version, and set when to look at it next.
--
-- KEYS  1 match  2 record  3 events  4 due set  5 verdict  6 counts of the checks
-- ARGV  1 the version
--       2 the notes' own id, the same whoever appends them
--       3 the match's id in the due set
--       4 its score there, '' to leave the set, or 'keep'
--       5 ms that a sandbox match lives idle, or ''
--       6 the verdict of a check of repetition to keep, or ''  7 1 if it found a difference
--       8 number of notes, then for each its line of the record and its event
-- returns 'noted', 'known' if these notes are there already, or 'conflict' if the match has
--         moved on, and then changes nothing
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 'conflict' end
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[4], ARGV[3])
elseif ARGV[4] ~= 'keep' then
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[3])
end
if ARGV[6] ~= '' and redis.call('GET', KEYS[5]) ~= ARGV[6] then
  redis.call('SET', KEYS[5], ARGV[6])
  redis.call('HINCRBY', KEYS[6], 'made', 1)
  redis.call('HINCRBY', KEYS[6], 'differing', ARGV[7])
end
local count = tonumber(ARGV[8])
if count > 0 then
  local told = redis.call('XRANGE', KEYS[3], ARGV[1] .. '-0', ARGV[1])
  for _, event in ipairs(told) do
    if event[2][2] == ARGV[2] then return 'known' end
  end
  for n = 0, count - 1 do
    redis.call('RPUSH', KEYS[2], ARGV[9 + 2 * n])
    local id = ARGV[1] .. '-' .. (#told + n)
    redis.call('XADD', KEYS[3], id, 'commit', ARGV[2], 'event', ARGV[10 + 2 * n])
  end
  redis.call('PUBLISH', KEYS[3], ARGV[1])
end
if ARGV[5] ~= '' then
  for _, key in ipairs({KEYS[1], KEYS[2], KEYS[3], KEYS[5]}) do
    redis.call('PEXPIRE', key, ARGV[5])
  end
end
return 'noted'
