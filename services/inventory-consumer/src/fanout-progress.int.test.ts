import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFanoutProgress, type FanoutProgress } from './fanout-progress.ts'

let client: Redis
let progress: FanoutProgress
const keyPrefix = `fanout-test-${randomUUID()}:`
beforeAll(() => {
  client = new Redis(testEnv().REDIS_URL)
  progress = createFanoutProgress({ client, keyPrefix })
})
afterAll(() => client.disconnect())

describe('the progress of a fan-out', () => {
  it('is nothing for one that nobody has begun', async () => {
    expect(await progress.read('new')).toEqual({ reached: undefined, handedOverAt: 0, ended: false })
  })

  it('is the furthest that anybody has come: who slept takes nothing back', async () => {
    await progress.advance('a', { userId: 'user-2', servedUsers: 2_000 })
    await progress.advance('a', { userId: 'user-1', servedUsers: 1_000 })
    await progress.handOver('a', 2_000)
    await progress.handOver('a', 1_000)
    expect(await progress.read('a')).toEqual({
      reached: { userId: 'user-2', servedUsers: 2_000 },
      handedOverAt: 2_000,
      ended: false,
    })
  })

  it('ends, and stays ended', async () => {
    await progress.end('b')
    await progress.advance('b', { userId: 'late', servedUsers: 5 })
    expect((await progress.read('b')).ended).toBe(true)
  })

  it('is kept a day longer than the requests, and not for ever', async () => {
    await progress.advance('c', { userId: 'u', servedUsers: 1 })
    await progress.end('d')
    for (const fanoutId of ['c', 'd']) {
      const days = (await client.ttl(`${keyPrefix}${fanoutId}`)) / 86_400
      expect(days).toBeGreaterThan(7.9)
      expect(days).toBeLessThanOrEqual(8)
    }
  })

  it('is unknown without Redis: a transient failure that names it', async () => {
    const nowhere = new Redis({ port: await closedPort(), maxRetriesPerRequest: 0, lazyConnect: true })
    nowhere.on('error', () => {})
    const lost = createFanoutProgress({ client: nowhere, keyPrefix })
    const failure = { code: 'FANOUT_PROGRESS_UNAVAILABLE', dependency: 'redis' }
    await expect(lost.read('a')).rejects.toMatchObject(failure)
    await expect(lost.end('a')).rejects.toMatchObject(failure)
    nowhere.disconnect()
  })
})
