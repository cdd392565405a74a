import type { Callback, Redis, Result } from 'ioredis'

/**
 * A user's slot has two sides, decided together. `sent:<subject>:<type>` says which event the user is told of, and in
 * which local day that counts ("YYYY-MM-DD <event id>"); `daily:<date>` says how many there were that day. A refusal
 * writes nothing. An event that already holds the slot gets the same answer again, whatever happened in between, and is
 * not counted again: that is what makes a retry safe after a timeout, when nobody knows whether the script has run.
 *
 * What may fail is a pcall, and its error the answer: a read-only replica, a full memory or a spoilt key are then seen
 * by their own codes, not as a fault of the script. Nothing has been written by then; the writes after the first cannot fail.
 */
export const admitScript = `
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
if held then
  local holder = string.sub(held, 12)
  if holder == ARGV[1] then return {'held', ''} end
  return {'duplicate', holder}
end
local stored = redis.pcall('GET', KEYS[2])
if type(stored) == 'table' then return stored end
local count = tonumber(stored or '0')
if not count then return redis.error_reply('WRONGTYPE the count of the day is not a number') end
if count >= tonumber(ARGV[4]) then return {'daily-limit', tostring(count)} end
local counted
if stored then counted = redis.pcall('INCR', KEYS[2])
else counted = redis.pcall('SET', KEYS[2], 1, 'PX', ARGV[5]) end
if type(counted) == 'table' and counted.err then return counted end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[3])
return {'admitted', tostring(count + 1)}
`

/**
 * For what was admitted a while ago and is only sent now: the user is told now, so the slot is held from now on, unless
 * another event holds it meanwhile. On a later date it counts for that date too, once, however often it is asked for.
 */
const resend = `
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
if held and string.sub(held, 12) ~= ARGV[1] then return {'duplicate', string.sub(held, 12)} end
local count = 0
if ARGV[6] == '1' then
  local carried = redis.pcall('EXISTS', KEYS[3])
  if type(carried) == 'table' then return carried end
  if carried == 0 then
    local stored = redis.pcall('GET', KEYS[2])
    if type(stored) == 'table' then return stored end
    count = tonumber(stored or '0')
    if not count then return redis.error_reply('WRONGTYPE the count of the day is not a number') end
    if count >= tonumber(ARGV[4]) then return {'daily-limit', tostring(count)} end
    local counted
    if stored then counted = redis.pcall('INCR', KEYS[2])
    else counted = redis.pcall('SET', KEYS[2], 1, 'PX', ARGV[5]) end
    if type(counted) == 'table' and counted.err then return counted end
    redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
  end
end
local kept = redis.pcall('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[3])
if type(kept) == 'table' and kept.err then return kept end
return {'held', ''}
`

/** Gives a slot back, if it is still exactly the one that was looked at. The day may be over and its count gone. */
const release = `
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
if held ~= ARGV[1] then return 0 end
local stored = redis.pcall('GET', KEYS[2])
if type(stored) == 'table' then return stored end
local count = tonumber(stored or '0')
local deleted = redis.pcall('DEL', KEYS[1])
if type(deleted) == 'table' then return deleted end
if count and count > 0 then redis.call('DECR', KEYS[2]) end
return 1
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    gateAdmit(
      sentKey: string,
      dailyKey: string,
      eventId: string,
      date: string,
      sentTtlMs: number,
      limit: number,
      dailyTtlMs: number,
      callback?: Callback<[string, string]>,
    ): Result<[string, string], Context>
    gateResend(
      sentKey: string,
      dailyKey: string,
      carriedKey: string,
      eventId: string,
      date: string,
      sentTtlMs: number,
      limit: number,
      dailyTtlMs: number,
      isOtherDay: 0 | 1,
      callback?: Callback<[string, string]>,
    ): Result<[string, string], Context>
    gateRelease(sentKey: string, dailyKey: string, held: string, callback?: Callback<number>): Result<number, Context>
  }
}

export const defineGateScripts = (client: Redis): void => {
  client.defineCommand('gateAdmit', { numberOfKeys: 2, lua: admitScript })
  client.defineCommand('gateResend', { numberOfKeys: 3, lua: resend })
  client.defineCommand('gateRelease', { numberOfKeys: 2, lua: release })
}

/** As the scripts write it: a date of ten characters, a space, the event id. */
export const parseHeld = (held: string): { date: string; eventId: string } => ({
  date: held.slice(0, 10),
  eventId: held.slice(11),
})
