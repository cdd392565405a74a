import { randomUUID } from 'node:crypto'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Outgoing } from '../provider.ts'
import { sampleOutgoing } from '../testing/sample-outgoing.ts'
import { type OpenFcm, type OpenFcmOptions, openFcm } from './testing/open-fcm.ts'

const opened: OpenFcm[] = []
const open = (options: OpenFcmOptions = {}): OpenFcm => {
  const world = openFcm(options)
  opened.push(world)
  return world
}
afterEach(async () => {
  for (const world of opened.splice(0)) await world.close()
})

const inTime = { deadlineMs: 5_000 }
const batchOf = (count: number): Outgoing[] => Array.from({ length: count }, () => sampleOutgoing())

describe('a 429', () => {
  const twoInstances = (env: Record<string, string> = {}): [OpenFcm, OpenFcm] => {
    const project = `p-${randomUUID()}`
    return [open({ project, env }), open({ project, env })]
  }
  const untilPaused = ({ provider }: OpenFcm) =>
    vi.waitFor(async () => {
      const answer = await provider.reserve(1, 'transactional')
      expect(answer.granted).toBe(0)
      return answer
    })

  it('pauses every instance for a minute', async () => {
    const [one, other] = twoInstances()
    const refusedBatch = batchOf(1)
    await one.fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED', times: 1 })
    expect(await one.provider.send(refusedBatch, inTime)).toMatchObject([{ code: 'QUOTA_EXCEEDED', retryable: true }])
    for (const instance of [one, other]) {
      const { retryAfterMs } = await untilPaused(instance)
      expect(retryAfterMs).toBeGreaterThan(50_000)
      expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    }
  })

  it('pauses them for longer if FCM asks for longer', async () => {
    const [one, other] = twoInstances()
    await one.fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED', retryAfter: '300' })
    await one.provider.send(batchOf(1), inTime)
    expect((await untilPaused(other)).retryAfterMs).toBeGreaterThan(290_000)
  })

  it('ends: both send again when the pause is over', async () => {
    const [one, other] = twoInstances({ FCM_QUOTA_PAUSE_MS: '300' })
    await one.fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED', times: 1 })
    await one.provider.send(batchOf(1), inTime)
    await untilPaused(other)
    for (const { provider } of [one, other]) {
      await vi.waitFor(async () => expect(await provider.reserve(1, 'promotional')).toMatchObject({ granted: 1 }))
      expect(await provider.send(batchOf(1), inTime)).toMatchObject([{ kind: 'accepted' }])
    }
  })

  it('holds back what waits behind it in the same batch: it was not attempted', async () => {
    const { provider, fcm } = open({ env: { FCM_SESSIONS: '1', FCM_STREAMS_PER_SESSION: '10' } })
    await fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED' })
    const results = await provider.send(batchOf(50), inTime)
    const held = results.filter(({ kind }) => kind === 'held-back')
    expect(held.length).toBeGreaterThanOrEqual(30)
    expect(held[0]).toMatchObject({ code: 'FCM_PAUSED', retryAfterMs: expect.any(Number) })
    expect((await fcm.report()).requests).toBe(50 - held.length)
  })
})

describe('FCM_MAX_PER_SECOND', () => {
  it('holds for all instances together', async () => {
    const project = `p-${randomUUID()}`
    const instances = [1, 2, 3].map(() => open({ project, env: { FCM_MAX_PER_SECOND: '200' } }))
    const grantedBy = async ({ provider }: OpenFcm, until: number): Promise<number> => {
      let sum = 0
      while (performance.now() < until) {
        const { granted, retryAfterMs } = await provider.reserve(50, 'promotional')
        sum += granted
        if (granted < 50) await new Promise((resolve) => setTimeout(resolve, Math.min(retryAfterMs, 20)))
      }
      return sum
    }
    const startedAt = performance.now()
    const granted = await Promise.all(instances.map((instance) => grantedBy(instance, startedAt + 1_000)))
    const seconds = (performance.now() - startedAt) / 1_000
    const total = granted.reduce((sum, count) => sum + count, 0)
    expect(total).toBeLessThanOrEqual(200 * seconds + 20)
    expect(total).toBeGreaterThan(100)
  })

  it('says when to ask again', async () => {
    const { provider } = open({ env: { FCM_MAX_PER_SECOND: '10' } })
    expect(await provider.reserve(1, 'promotional')).toEqual({ granted: 1, retryAfterMs: 0 })
    const { granted, retryAfterMs } = await provider.reserve(1, 'promotional')
    expect(granted).toBe(0)
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(100)
  })
})

describe('without Redis', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startIsolatedStack({ engines: ['redis'] })
  })
  afterAll(() => stack.reset())

  it('this instance pauses after a 429 all the same, also when Redis is back and knows nothing of it', async () => {
    const { provider, fcm } = open({ redisUrl: stack.env().REDIS_URL as string })
    await fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED', times: 1 })
    await stack.engine('redis').kill()
    await provider.send(batchOf(1), inTime)
    await stack.engine('redis').start()
    const { granted, retryAfterMs } = await provider.reserve(1, 'transactional')
    expect(granted).toBe(0)
    expect(retryAfterMs).toBeGreaterThan(50_000)
  })

  it('promotional waits, transactional goes on with a local share, and both are served when it is back', async () => {
    const redisUrl = stack.env().REDIS_URL as string
    const { provider } = open({ redisUrl, env: { FCM_LOCAL_MAX_PER_SECOND: '50' } })
    expect(await provider.reserve(5, 'promotional')).toMatchObject({ granted: 5 })
    await stack.engine('redis').kill()
    expect(await provider.reserve(5, 'promotional')).toEqual({ granted: 0, retryAfterMs: expect.any(Number) })
    const { granted, retryAfterMs } = await provider.reserve(100, 'transactional')
    expect(granted).toBe(5)
    expect(retryAfterMs).toBeGreaterThan(0)
    await stack.engine('redis').start()
    await vi.waitFor(async () => expect(await provider.reserve(5, 'promotional')).toMatchObject({ granted: 5 }), {
      timeout: 10_000,
    })
  })
})

describe('an FCM that is down', () => {
  const fragile = {
    FCM_BREAKER_FAILURES: '5',
    FCM_BREAKER_RESET_MS: '300',
    FCM_STREAMS_PER_SESSION: '1',
    FCM_SESSIONS: '1',
  }

  it('is left alone: the rest of a batch is held back, and nothing is granted for a while', async () => {
    const { provider, fcm } = open({ env: { ...fragile, FCM_BREAKER_RESET_MS: '60000' } })
    await fcm.script({ do: 'refuse', code: 'UNAVAILABLE' })
    const results = await provider.send(batchOf(20), inTime)
    const held = results.filter(({ kind }) => kind === 'held-back')
    expect(held.length).toBeGreaterThanOrEqual(10)
    expect(held[0]).toMatchObject({ code: 'FCM_BREAKER_OPEN' })
    const { granted, retryAfterMs } = await provider.reserve(10, 'transactional')
    expect(granted).toBe(0)
    expect(retryAfterMs).toBeGreaterThan(50_000)
  })

  it('is tried with one message after that, and gets all again when it took it', async () => {
    const { provider, fcm } = open({ env: fragile })
    await fcm.script({ do: 'refuse', code: 'INTERNAL' })
    await provider.send(batchOf(20), inTime)
    await fcm.reset()
    await vi.waitFor(async () => expect(await provider.reserve(10, 'promotional')).toMatchObject({ granted: 1 }))
    expect(await provider.reserve(10, 'transactional')).toEqual({ granted: 0, retryAfterMs: expect.any(Number) })
    expect(await provider.send(batchOf(1), inTime)).toMatchObject([{ kind: 'accepted' }])
    expect(await provider.reserve(10, 'promotional')).toEqual({ granted: 10, retryAfterMs: 0 })
  })

  it('is not what dead tokens and bad payloads make of it', async () => {
    const { provider, fcm } = open({ env: fragile })
    await fcm.script([
      { do: 'refuse', code: 'UNREGISTERED', times: 20 },
      { do: 'refuse', code: 'INVALID_ARGUMENT', field: 'message.data' },
    ])
    await provider.send(batchOf(40), inTime)
    expect(await provider.reserve(10, 'promotional')).toMatchObject({ granted: 10 })
  })

  it('costs one message for each connection that it drops, not a hundred', async () => {
    const { provider, fcm } = open({ env: { FCM_SESSIONS: '1', FCM_BREAKER_FAILURES: '5' } })
    const warm = batchOf(1)
    await provider.send(warm, inTime)
    await fcm.script({ do: 'drop', accepted: false })
    const results = await provider.send(batchOf(300), inTime)
    const lost = results.filter(({ kind }) => kind === 'unknown').length
    const held = results.filter(({ kind }) => kind === 'held-back').length
    expect(lost + held).toBe(300)
    expect(lost).toBeLessThanOrEqual(100 + 5)
  })
})
