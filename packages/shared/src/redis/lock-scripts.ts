import type { Redis, Result } from 'ioredis'

/** Asked twice with the same token it gives the same answer: nobody knows whether a script ran whose answer was lost. */
const acquire = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`

const extend = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

/** Kept for the rest of its least time, or gone at once. */
const release = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2])
else redis.call('DEL', KEYS[1]) end
return 1
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    lockAcquire(key: string, token: string, ttlMs: number): Result<number, Context>
    lockExtend(key: string, token: string, ttlMs: number): Result<number, Context>
    lockRelease(key: string, token: string, keepMs: number): Result<number, Context>
  }
}

const defined = new WeakSet<Redis>()

/** Once per client, whoever comes first. */
export const withLockScripts = (client: Redis): Redis => {
  if (defined.has(client)) return client
  client.defineCommand('lockAcquire', { numberOfKeys: 1, lua: acquire })
  client.defineCommand('lockExtend', { numberOfKeys: 1, lua: extend })
  client.defineCommand('lockRelease', { numberOfKeys: 1, lua: release })
  defined.add(client)
  return client
}
