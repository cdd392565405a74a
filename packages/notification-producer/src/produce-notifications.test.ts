import { defaultRecipient } from '@dropbell/database/read-recipients'
import { createCodec } from '@dropbell/schemas/codec'
import { newestVersion } from '@dropbell/schemas/contract'
import { createMemoryRegistry } from '@dropbell/schemas/testing/memory-registry'
import { notificationOutcomeTopic, notificationPushTopic, subjectOf } from '@dropbell/schemas/topics'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { TransientError } from '@dropbell/shared/errors'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { createMetrics } from '@dropbell/shared/metrics'
import { collect, streamOf } from '@dropbell/shared/testing/streams'
import { describe, expect, it, vi } from 'vitest'
import type { Admit } from './admit.ts'
import { notificationConfig } from './config.ts'
import type { Decision } from './decision.ts'
import { notificationIdOf } from './notification-id.ts'
import { createNotificationMetrics } from './notification-metrics.ts'
import { partsOf } from './parts-of.ts'
import { createNotificationProducer, type NotificationPart, type ProducedPart } from './produce-notifications.ts'
import { readMetric } from './testing/read-metric.ts'
import { samplePriceDrop } from './testing/sample-triggers.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const now = samplePriceDrop.eventTimestamp + 2_000

interface Setting {
  decisions?: Record<string, Decision>
  locales?: Record<string, string>
  env?: Record<string, string>
}

const unwatched = { signal: new AbortController().signal, progress: async () => {} }

const setUp = async ({ decisions = {}, locales = {}, env = {} }: Setting = {}) => {
  const registry = createMemoryRegistry()
  for (const topic of [notificationPushTopic, notificationOutcomeTopic]) {
    await registry.register(subjectOf(topic), newestVersion(topic.contract).schema)
  }
  const codecs = {
    notification: createCodec({ topic: notificationPushTopic, registry }),
    outcome: createCodec({ topic: notificationOutcomeTopic, registry }),
  }
  const admit = vi.fn<Admit>(async (requests) =>
    requests.map(({ candidates }) =>
      candidates.map((candidate) => ({
        ...candidate,
        decision: decisions[candidate.userId] ?? { kind: 'admitted' },
        recipient: { ...defaultRecipient, locale: locales[candidate.userId] ?? 'ko' },
      })),
    ),
  )
  const publish = vi.fn(async (_: readonly OutgoingRecord[]): Promise<void> => {})
  const wait = vi.fn(async () => {})
  const metrics = createMetrics({ service: 'test' })
  const config = loadConfig(defineConfig(notificationConfig), env)
  const produce = createNotificationProducer({
    admit,
    codecs,
    publisher: { publish },
    config,
    clock: { now: () => now, wait },
    metrics: createNotificationMetrics(metrics),
  })
  const published = (topic: string) =>
    publish.mock.calls.flatMap(([records]) => records.filter((r) => r.topic === topic))
  return {
    admit,
    publish,
    wait,
    metric: (name: string) => readMetric(metrics, name),
    produce: async (users: readonly string[], watch = unwatched) => {
      const pages = streamOf([{ trigger: samplePriceDrop, users, traceparent }])
      return summarize(await collect(produce(partsOf(pages, config.NOTIFICATION_BATCH_SIZE), watch)))
    },
    produceParts: (parts: Iterable<NotificationPart>) => collect(produce(streamOf(parts), unwatched)),
    records: () => published(notificationPushTopic.name),
    notifications: () =>
      Promise.all(published(notificationPushTopic.name).map(({ value }) => codecs.notification.decode(value))),
    outcomes: () =>
      Promise.all(published(notificationOutcomeTopic.name).map(({ value }) => codecs.outcome.decode(value))),
  }
}

const summarize = (parts: readonly ProducedPart[]) => ({
  published: parts.reduce((sum, { published }) => sum + published, 0),
  refused: Object.assign({}, ...parts.map(({ refused }) => refused)),
})

const idOf = (userId: string): string => notificationIdOf({ eventId: 'evt-1', userId, type: 'PRICE_DROP' })
const users = (count: number): string[] => Array.from({ length: count }, (_, n) => `u-${n}`)

describe('producing notifications', () => {
  it('asks for admission with the ids, the product and the expiry', async () => {
    const { admit, produce } = await setUp()
    await produce(['a'])
    const asked = {
      type: 'PRICE_DROP',
      eventId: 'evt-1',
      eventTimestamp: samplePriceDrop.eventTimestamp,
      expiresAt: samplePriceDrop.eventTimestamp + 24 * 3_600_000,
      subject: 'P-1',
      replayCount: 0,
      candidates: [{ userId: 'a', notificationId: idOf('a') }],
    }
    expect(admit).toHaveBeenCalledExactlyOnceWith([asked], now)
  })

  it('publishes one record per admitted user, keyed by the user, with the headers of the event', async () => {
    const { produce, records } = await setUp()
    expect(await produce(['a', 'b'])).toEqual({ published: 2, refused: {} })
    const headers = {
      'dropbell-event-id': Buffer.from('evt-1'),
      'dropbell-event-timestamp': Buffer.from(String(samplePriceDrop.eventTimestamp)),
      traceparent: Buffer.from(traceparent),
    }
    expect(records()).toEqual([
      { topic: 'notification.push.v1', key: 'a', value: expect.any(Buffer), headers },
      { topic: 'notification.push.v1', key: 'b', value: expect.any(Buffer), headers },
    ])
  })

  it('tells of every batch that got through, so that a long page does not look stuck', async () => {
    const { produce } = await setUp({
      decisions: { 'u-0': { kind: 'refused', reason: 'opted-out' } },
      env: { NOTIFICATION_BATCH_SIZE: '2' },
    })
    const progress = vi.fn(async () => {})
    await produce(users(6), { ...unwatched, progress })
    expect(progress).toHaveBeenCalledTimes(3)
  })

  it('publishes no further batch when it is called off', async () => {
    const { produce, records } = await setUp({ env: { NOTIFICATION_BATCH_SIZE: '2' } })
    const controller = new AbortController()
    const progress = async (): Promise<void> => controller.abort()
    await expect(produce(users(6), { signal: controller.signal, progress })).rejects.toThrow('aborted')
    expect(records()).toHaveLength(2)
  })

  it('writes to each in their language', async () => {
    const { produce, notifications } = await setUp({ locales: { b: 'en-US' } })
    await produce(['a', 'b'])
    expect((await notifications()).map(({ userId, notificationId, title }) => [userId, notificationId, title])).toEqual(
      [
        ['a', idOf('a'), '가격이 떨어졌어요!'],
        ['b', idOf('b'), 'The price has dropped!'],
      ],
    )
  })

  it('makes the same bytes when it is asked again', async () => {
    const { produce, records } = await setUp()
    await produce(['a'])
    await produce(['a'])
    expect(records()[0]).toEqual(records()[1])
  })

  it('tells a user once who is named twice', async () => {
    const { produce } = await setUp()
    expect(await produce(['a', 'b', 'a'])).toEqual({ published: 2, refused: {} })
  })

  it('publishes in batches, and waits between them if told to', async () => {
    const { produce, publish, wait } = await setUp({
      env: { NOTIFICATION_BATCH_SIZE: '2', NOTIFICATION_BATCH_DELAY_MS: '50' },
    })
    await produce(users(5))
    expect(publish.mock.calls.map(([records]) => records.length)).toEqual([2, 2, 1])
    expect(wait.mock.calls).toEqual([[50], [50]])
  })

  it('does not wait by default', async () => {
    const { produce, publish, wait } = await setUp()
    await produce(users(1_250))
    expect(publish.mock.calls.map(([records]) => records.length)).toEqual([500, 500, 250])
    expect(wait).not.toHaveBeenCalled()
  })

  it('asks about, and publishes, the pages of several events together, and says in order what got through', async () => {
    const { produceParts, admit, publish, notifications } = await setUp({
      decisions: { b: { kind: 'refused', reason: 'opted-out' } },
    })
    const page = (eventId: string, users: string[]) => ({
      trigger: { ...samplePriceDrop, eventId },
      users,
      traceparent,
    })
    const parts = [[page('evt-1', ['a', 'b']), page('evt-2', ['a'])], [page('evt-3', ['c'])]]
    expect(await produceParts(parts)).toEqual([
      { pages: parts[0], published: 2, refused: { 'opted-out': 1 } },
      { pages: parts[1], published: 1, refused: {} },
    ])
    expect(admit).toHaveBeenCalledTimes(2)
    expect(publish.mock.calls.map(([records]) => records.map(({ topic, key }) => `${topic} ${key}`))).toEqual([
      ['notification.push.v1 a', 'notification.outcome.v1 b', 'notification.push.v1 a'],
      ['notification.push.v1 c'],
    ])
    expect((await notifications()).map(({ eventId, userId }) => `${eventId} ${userId}`)).toEqual([
      'evt-1 a',
      'evt-2 a',
      'evt-3 c',
    ])
  })

  it('admits the next parts while one is being published', async () => {
    const { produceParts, admit, publish } = await setUp()
    let acknowledge = (): void => {}
    publish.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          acknowledge = resolve
        }),
    )
    const produced = produceParts(users(20).map((user) => [{ trigger: samplePriceDrop, users: [user], traceparent }]))
    await vi.waitFor(() => expect(publish).toHaveBeenCalledTimes(1))
    expect(admit.mock.calls.length).toBeGreaterThan(1)
    expect(admit.mock.calls.length).toBeLessThan(20)
    acknowledge()
    expect(await produced).toHaveLength(20)
  })

  it('measures from the event to the acknowledgement', async () => {
    const { produce, metric } = await setUp()
    await produce(['a'])
    expect(await metric('dropbell_event_to_publish_seconds_sum')).toEqual({ PRICE_DROP: 2 })
  })
})

describe('refusals', () => {
  const decisions: Record<string, Decision> = {
    dup: { kind: 'refused', reason: 'duplicate', blockingEventId: 'evt-0' },
    day: { kind: 'refused', reason: 'daily-limit', dayCount: 10 },
    out: { kind: 'refused', reason: 'opted-out' },
    old: { kind: 'refused', reason: 'expired' },
    known: { kind: 'refused', reason: 'already-known' },
  }

  it('go to the history with status and reason, except of what has an outcome already', async () => {
    const { produce, outcomes, records } = await setUp({ decisions, locales: { out: 'en' } })
    expect(await produce(['dup', 'ok', 'day', 'out', 'old', 'known'])).toEqual({
      published: 1,
      refused: { duplicate: 1, 'daily-limit': 1, 'opted-out': 1, expired: 1, 'already-known': 1 },
    })
    expect(records().map(({ key }) => key)).toEqual(['ok'])
    const all = {
      eventId: 'evt-1',
      productId: 'P-1',
      type: 'PRICE_DROP',
      title: '가격이 떨어졌어요!',
      channels: ['PUSH', 'IN_APP'],
      blockingEventId: null,
      dayCount: null,
      revision: 0,
      occurredAt: now,
      results: [],
      traceparent,
      eventTimestamp: samplePriceDrop.eventTimestamp,
    }
    const of = (userId: string) => ({ ...all, userId, notificationId: idOf(userId) })
    expect(await outcomes()).toEqual([
      { ...of('dup'), status: 'RATE_LIMITED', reason: 'DUPLICATE', blockingEventId: 'evt-0' },
      { ...of('day'), status: 'RATE_LIMITED', reason: 'DAILY_LIMIT', dayCount: 10 },
      { ...of('out'), status: 'USER_OPTED_OUT', reason: 'OPTED_OUT', title: 'The price has dropped!' },
      { ...of('old'), status: 'EXPIRED', reason: 'EXPIRED', title: null },
    ])
  })

  it('are not written where the history does not want them', async () => {
    const { produce, outcomes } = await setUp({ decisions, env: { HISTORY_REFUSALS: 'off' } })
    expect((await produce(['dup', 'ok'])).refused).toEqual({ duplicate: 1 })
    expect(await outcomes()).toEqual([])
  })

  it('publish nothing where there are none', async () => {
    const { produce, publish } = await setUp({ decisions })
    await produce(['known'])
    await produce([])
    expect(publish).not.toHaveBeenCalled()
  })
})

describe('failures', () => {
  it('publishes nothing when admission fails', async () => {
    const { admit, produce, publish } = await setUp()
    admit.mockRejectedValue(new TransientError('REDIS_UNAVAILABLE', 'x', { dependency: 'redis' }))
    await expect(produce(['a'])).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' })
    expect(publish).not.toHaveBeenCalled()
  })

  it('passes on a failed publish, stops there, and measures it', async () => {
    const { produce, publish, metric } = await setUp({ env: { NOTIFICATION_BATCH_SIZE: '1' } })
    publish.mockResolvedValueOnce().mockRejectedValueOnce(new TransientError('PUBLISH_FAILED', 'x'))
    await expect(produce(users(5))).rejects.toMatchObject({ code: 'PUBLISH_FAILED' })
    expect(publish).toHaveBeenCalledTimes(2)
    expect(await metric('dropbell_notification_publish_seconds_count')).toEqual({ ok: 1, failed: 1 })
  })
})
