/**
 * Applies the changes of one product, in their order, to its hash. ARGV: the time to live in seconds, then for each
 * change the name of the field, its value before (empty if unknown), its value after and the time of the event.
 * Values are compared as they are written, so they must be written in one way only.
 */
export const recordProductStateScript = `
local changed = false
for i = 2, #ARGV, 4 do
  local field, before, value, at = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local stored = redis.call('HMGET', KEYS[1], field, field .. 'At')
  local storedAt = tonumber(stored[2] or '')
  local time = tonumber(at)
  if not storedAt or time > storedAt or (time == storedAt and before == stored[1]) then
    redis.call('HSET', KEYS[1], field, value, field .. 'At', at)
    changed = true
  end
end
if changed then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return changed and 1 or 0
`
