import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { captureLog } from '../testing/capture-log.ts'
import { closedPort } from '../testing/tcp-peer.ts'
import { createLock, type HeldLock, type Lock, type LockOptions } from './lock.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

const client = (url: string = testEnv().REDIS_URL): Redis => {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, enableOfflineQueue: true })
  redis.on('error', () => {})
  cleanUps.push(() => redis.disconnect())
  return redis
}

const open = (key: string, said: Partial<LockOptions> = {}): Lock => {
  const redis = client()
  return createLock({
    ...{ key, connect: async () => redis, atMostMs: 60_000, atLeastMs: 0, log: captureLog().log },
    ...said,
  })
}

const take = async (lock: Lock): Promise<HeldLock> => {
  const held = await lock.tryAcquire()
  if (held === undefined) throw new Error('somebody else has it')
  cleanUps.unshift(() => held.release({ atOnce: true }).catch(() => {}))
  return held
}

const newKey = () => `test-lock:${randomUUID()}`

describe('a lock', () => {
  it('goes to one of many who ask at the same time', async () => {
    const key = newKey()
    const locks = Array.from({ length: 10 }, () => open(key))
    const held = (await Promise.all(locks.map((lock) => lock.tryAcquire()))).filter((one) => one !== undefined)
    expect(held).toHaveLength(1)
    await held[0]?.release()
    expect(await take(open(key))).toBeDefined()
  })

  it('is kept for its least time when it is released earlier, and not a moment by a holder that did nothing', async () => {
    const key = newKey()
    const lock = open(key, { atLeastMs: 30_000 })
    const first = await take(lock)
    await first.release({ atOnce: true })
    const second = await take(lock)
    await second.release()
    expect(await lock.tryAcquire()).toBeUndefined()
    expect(await lock.remainingMs()).toSatisfy((ms: number) => ms > 25_000 && ms <= 30_000)
    await client().del(key)
  })

  it('is free at once when it was held for longer than its least time', async () => {
    const lock = open(newKey(), { atLeastMs: 1 })
    const held = await take(lock)
    await vi.waitFor(async () => expect(await lock.remainingMs()).toBeLessThan(59_995))
    await held.release()
    expect(await lock.remainingMs()).toBe(0)
  })

  it('is extended while its holder lives', async () => {
    const lock = open(newKey(), { atMostMs: 3_000 })
    const held = await take(lock)
    const since = performance.now()
    await vi.waitFor(
      async () => {
        expect(await lock.remainingMs()).toBeGreaterThan(0)
        expect(performance.now() - since).toBeGreaterThan(3_500)
      },
      { timeout: 10_000, interval: 100 },
    )
    expect(held.isHeld()).toBe(true)
    expect(held.lost.aborted).toBe(false)
  })

  it('that somebody else took is lost to its holder, who neither extends nor releases it', async () => {
    const key = newKey()
    const held = await take(open(key, { atMostMs: 600 }))
    const seized = await open(key).seize()
    cleanUps.unshift(() => seized.release())
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true), { timeout: 3_000 })
    expect(held.isHeld()).toBe(false)
    await held.release()
    expect(await open(key).tryAcquire()).toBeUndefined()
    expect(seized.isHeld()).toBe(true)
  })

  it('whose key is gone is not made anew by an extension', async () => {
    const key = newKey()
    const held = await take(open(key, { atMostMs: 600 }))
    await client().del(key)
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true), { timeout: 3_000 })
    expect(await client().exists(key)).toBe(0)
  })

  it('is lost by its own clock when Redis cannot be asked for too long', async () => {
    let away = false
    const redis = client()
    const connect = async () => {
      if (away) throw new Error('no connection')
      return redis
    }
    const held = await take(open(newKey(), { atMostMs: 600, connect }))
    away = true
    expect(held.isHeld()).toBe(true)
    await vi.waitFor(() => expect(held.lost.aborted).toBe(true), { timeout: 3_000 })
    away = false
  })

  /** Does what it is told, and so many times in a row nobody hears that it did. */
  const forgetful = (command: 'lockAcquire' | 'set', lostAnswers: number): (() => Promise<Redis>) => {
    const redis = client()
    let left = lostAnswers
    const proxy = new Proxy(redis, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name !== command) return value.bind(target)
        return async (...args: unknown[]) => {
          const answer = await value.apply(target, args)
          if (left-- > 0) throw new Error('Command timed out')
          return answer
        }
      },
    })
    return async () => proxy
  }

  it('is acquired, or seized, by the second question when the answer to the first was lost', async () => {
    const key = newKey()
    expect((await take(open(key, { connect: forgetful('lockAcquire', 1) }))).isHeld()).toBe(true)
    const seized = await open(key, { connect: forgetful('set', 1) }).seize()
    cleanUps.unshift(() => seized.release())
    expect(seized.isHeld()).toBe(true)
  })

  it('is given back when it was taken and nobody could be told', async () => {
    const [acquired, seized] = [newKey(), newKey()]
    const failure = { code: 'LOCK_UNAVAILABLE' }
    await expect(open(acquired, { connect: forgetful('lockAcquire', 2) }).tryAcquire()).rejects.toMatchObject(failure)
    await expect(open(seized, { connect: forgetful('set', 2) }).seize()).rejects.toMatchObject(failure)
    await vi.waitFor(async () => expect(await client().exists(acquired, seized)).toBe(0), { timeout: 3_000 })
  })

  it('cannot be had, by anybody, when Redis cannot be asked', async () => {
    const redis = client(`redis://127.0.0.1:${await closedPort()}`)
    const lock = open(newKey(), { connect: async () => redis })
    const failure = { code: 'LOCK_UNAVAILABLE', dependency: 'redis' }
    await expect(lock.tryAcquire()).rejects.toMatchObject(failure)
    await expect(lock.seize()).rejects.toMatchObject(failure)
    await expect(lock.remainingMs()).rejects.toMatchObject(failure)
  })
})
