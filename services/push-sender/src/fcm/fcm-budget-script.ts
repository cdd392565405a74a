import type { Redis, Result } from 'ioredis'

/**
 * A token bucket and a pause, shared by all instances, by the clock of Redis. KEYS: bucket, pause. ARGV: rate per second,
 * burst, wanted. Answers how many are granted, after how many milliseconds to ask again, and whether a pause is on.
 */
const reserve = `
local pause = redis.call('PTTL', KEYS[2])
if pause > 0 then return {0, pause, 1} end
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(stored[1] or '') or burst
local at = tonumber(stored[2] or '') or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000)
local granted = math.min(wanted, math.floor(tokens))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('PEXPIRE', KEYS[1], 60000)
local missing = math.min(burst, wanted - granted)
if missing <= 0 then return {granted, 0, 0} end
return {granted, math.max(1, math.ceil((missing - tokens) * 1000 / rate)), 0}
`

/** KEYS: pause. ARGV: how long. A longer pause that is on stays. */
const pause = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
return redis.call('PTTL', KEYS[1])
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    fcmReserve(
      bucketKey: string,
      pauseKey: string,
      perSecond: number,
      burst: number,
      wanted: number,
    ): Result<[number, number, number], Context>
    fcmPause(pauseKey: string, pauseMs: number): Result<number, Context>
  }
}

export const defineBudgetScripts = (client: Redis): void => {
  client.defineCommand('fcmReserve', { numberOfKeys: 2, lua: reserve })
  client.defineCommand('fcmPause', { numberOfKeys: 1, lua: pause })
}
