import { defaultRecipient } from '@dropbell/database/read-recipients'
import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import type { Admit } from '@dropbell/notification-producer/admit'
import { notificationConfig } from '@dropbell/notification-producer/config'
import type { Slot } from '@dropbell/notification-producer/gate'
import type { NotificationBatch } from '@dropbell/notification-producer/publish-batches'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { PermanentError } from '@dropbell/shared/errors'
import { createMetrics } from '@dropbell/shared/metrics'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import type { Pool } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { createProduceRecommendations } from './produce-recommendations.ts'
import type { ApiAnswer } from './recommendation-api.ts'
import { createRunBatch } from './run-batch.ts'
import { createSchedulerMetrics } from './scheduler-metrics.ts'

const run: RecommendationRunRow = {
  ...{ day: '2026-11-19', status: 'RUNNING', reason: null, as_of: new Date(), fence: 1, heartbeat_age_ms: 0 },
  ...{ cursor: null, audience_read: false, expected: null, users: 0, sent: 0, nothing: 0, refused: {}, left_out: 0 },
  ...{ started_at: new Date(), ended_at: null },
}
const product = { productId: 'P', productName: 'P' }
const recommended: ApiAnswer = { kind: 'recommended', recommendation: { strategy: 's', products: [product] } }

/** Parts of two. The API knows about the first two users, and is silent about all others until it is called off. */
const setUp = () => {
  const calledOff: string[] = []
  const asked: string[] = []
  const ask = (userId: string, signal: AbortSignal): Promise<ApiAnswer> => {
    asked.push(userId)
    if (userId <= 'u1') return Promise.resolve(recommended)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        calledOff.push(userId)
        reject(signal.reason)
      })
    })
  }
  const admit = vi.fn<Admit>(async (requests) =>
    requests.map(({ candidates }) =>
      candidates.map((candidate) => ({
        ...candidate,
        decision: candidate.userId === 'u3' ? { kind: 'admitted', again: true } : { kind: 'admitted' },
        recipient: defaultRecipient,
      })),
    ),
  )
  const publish = vi.fn(async (_: readonly NotificationBatch[]): Promise<void> => {})
  const release = vi.fn(async (slots: readonly Slot[]) => slots.map(() => true))
  const fence = { isOurs: true }
  const pool = { query: async () => ({ rows: [{ left_out: 0 }], rowCount: fence.isOurs ? 1 : 0 }) } as unknown as Pool
  const config = {
    ...loadConfig(defineConfig(notificationConfig), {}),
    ...{ PACING_DEADLINE_MS: 60_000, RECOMMENDATION_BATCH_SIZE: 2, RECOMMENDATION_PAGE_SIZE: 100 },
  }
  const pacing = { wait: async () => true, settled: () => {}, end: () => {} }
  const runBatch = createRunBatch({
    ...{ pool, config, log: captureLog().log, gate: { release } },
    activeUsers: {
      read: async function* () {
        yield Array.from({ length: 20 }, (_, n) => `u${n.toString(36)}`)
      },
      estimate: async () => 20,
    },
    produce: createProduceRecommendations({
      ...{ admit, publish, config, api: { begin: () => ask } },
      clock: { now: Date.now, wait: async () => {} },
    }),
    pacer: { begin: () => pacing },
    metrics: createSchedulerMetrics(createMetrics({ service: 'test' })),
  })
  const stop = new AbortController()
  return {
    ...{ admit, asked, calledOff, fence, pacing, publish, release, stop },
    start: () => runBatch(run, { signal: stop.signal, assertHeld: () => {} }),
  }
}

const released = ({ release }: ReturnType<typeof setUp>) =>
  release.mock.calls.flatMap(([slots]) => slots.map(({ userId }) => userId)).sort()

describe('a batch', () => {
  it('whose publish fails calls off what it prepared ahead, and admits and asks about nobody more', async () => {
    const batch = setUp()
    const failure = new PermanentError('REFUSED', 'too large')
    batch.publish.mockImplementation(async () => {
      // The parts ahead wait for the API by now.
      await vi.waitFor(() => expect(batch.asked).toHaveLength(6))
      throw failure
    })
    await expect(batch.start()).rejects.toBe(failure)
    expect(batch.calledOff.sort()).toEqual(['u2', 'u3', 'u4', 'u5'])
    const admissions = batch.admit.mock.calls.length
    await new Promise(setImmediate)
    expect(batch.admit).toHaveBeenCalledTimes(admissions)
    expect(batch.asked).toHaveLength(6)
    // Whoever may have been told, and whose slot was held before, keeps it.
    expect(released(batch)).toEqual(['u2', 'u4', 'u5'])
  })

  it('that is stopped gives back the slots of parts that were not published', async () => {
    const batch = setUp()
    const ended = batch.start()
    await vi.waitFor(() => expect(batch.asked).toHaveLength(8))
    batch.stop.abort(new Error('stopping'))
    await expect(ended).rejects.toThrow('stopping')
    expect(batch.publish).toHaveBeenCalledTimes(1)
    expect(released(batch)).toEqual(['u2', 'u4', 'u5', 'u6', 'u7'])
  })

  it('that belongs to somebody else gives nothing back', async () => {
    const batch = setUp()
    const ended = batch.start()
    await vi.waitFor(() => expect(batch.asked).toHaveLength(8))
    batch.fence.isOurs = false
    batch.stop.abort(new Error('lost'))
    await expect(ended).rejects.toThrow('lost')
    expect(batch.release).not.toHaveBeenCalled()
  })

  it('that is stopped while it looks whether there is room does not wait for the answer', async () => {
    const batch = setUp()
    const looked = new Promise<void>((resolve) => {
      batch.pacing.wait = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const ended = batch.start()
    await looked
    batch.stop.abort(new Error('stopping'))
    await expect(ended).rejects.toThrow('stopping')
  })
})
