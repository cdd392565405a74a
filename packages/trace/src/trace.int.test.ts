import { randomUUID } from 'node:crypto'
import { plannedNotification } from '@dropbell/database/testing/planned-notification'
import { notificationIdOf } from '@dropbell/notification-producer/notification-id'
import { inventoryEvent } from '@dropbell/offers/testing/inventory-event'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { acceptedResult, sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { notificationOutcomeTopic, notificationPushTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTraceBench } from './testing/trace-bench.ts'
import type { Way } from './trace.ts'

let bench: Awaited<ReturnType<typeof openTraceBench>>

beforeAll(async () => {
  bench = await openTraceBench()
})
afterAll(() => bench?.close())

const now = Date.now()

const drop = (said: Partial<ProductInventoryEvent> = {}): ProductInventoryEvent =>
  inventoryEvent({
    ...{ eventId: randomUUID(), productId: randomUUID(), eventType: 'PRICE_CHANGE', timestamp: now },
    ...{ previousPrice: 100, currentPrice: 80 },
    ...said,
  })

const notificationOf = ({ eventId, productId }: ProductInventoryEvent, userId: string): NotificationEvent => ({
  notificationId: notificationIdOf({ eventId, userId, type: 'PRICE_DROP' }),
  ...{ eventId, productId, userId, notificationType: 'PRICE_DROP', title: 'cheaper', body: '', data: {} },
  ...{ channels: ['PUSH'], priority: 'HIGH', timestamp: now, eventTimestamp: now, expiresAt: now + 86_400_000 },
})

const outcomeOf = ({ notificationId, eventId, userId, productId }: NotificationEvent) =>
  sampleOutcome({ notificationId, eventId, userId, productId, eventTimestamp: now, occurredAt: now + 1_000 })

const kindsOf = ({ steps }: Way): string[] => steps.map(({ kind }) => kind)

// First in the file: behind a newer record in its partition an older one is found too.
describe('what was written before the moment that is asked from', () => {
  it('is not looked for', async () => {
    const notification = notificationOf(drop(), randomUUID())
    const hoursAgo = (hours: number): number => Date.now() - hours * 3_600_000
    await bench.publish(notificationPushTopic, [notification], { timestamp: hoursAgo(3) })
    const question = { kind: 'user', userId: notification.userId, productId: null } as const
    expect(await bench.trace(question, { since: hoursAgo(2) })).toMatchObject({ found: false, ways: [] })
    const { ways } = await bench.trace(question, { since: hoursAgo(4) })
    expect(ways).toMatchObject([{ notificationId: notification.notificationId, ending: { status: 'UNDER_WAY' } }])

    const event = drop()
    await bench.publish(productInventoryTopic, [event], { timestamp: hoursAgo(3) })
    const ofEvent = { kind: 'event', eventId: event.eventId } as const
    expect((await bench.trace(ofEvent, { since: hoursAgo(2) })).found).toBe(false)
    expect((await bench.trace(ofEvent, { since: hoursAgo(4) })).found).toBe(true)
  })
})

describe('a notification that only Kafka knows', () => {
  it('is under way: published, and planned by nobody', async () => {
    const event = drop()
    const notification = notificationOf(event, randomUUID())
    await bench.publish(productInventoryTopic, [event])
    await bench.publish(notificationPushTopic, [notification])
    const { ways, found } = await bench.trace({ kind: 'notification', notificationId: notification.notificationId })
    expect(found).toBe(true)
    const [way] = ways as [Way]
    expect(way).toMatchObject({ userId: notification.userId, ending: { status: 'UNDER_WAY' } })
    expect(kindsOf(way)).toEqual(['received', 'detected', 'admitted', 'published'])
    expect(way.unknown.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'audience: forgotten',
      'slot: forgotten',
      'delivery: not-yet',
      'outcome: not-yet',
    ])
  })

  it('was given up by the sender', async () => {
    const notification = notificationOf(drop(), randomUUID())
    await bench.publish(notificationPushTopic, [notification])
    const headers = {
      'kafka_dlt-original-topic': 'notification.push.v1',
      'kafka_dlt-original-partition': Buffer.from([0, 0, 0, 2]),
      'kafka_dlt-original-offset': Buffer.from([0, 0, 0, 0, 0, 0, 1, 0]),
      'kafka_dlt-exception-fqcn': 'org.springframework.kafka.listener.ListenerExecutionFailedException',
      'kafka_dlt-exception-cause-fqcn': 'com.example.Broken',
      'kafka_dlt-exception-message': 'it broke',
    }
    await bench.publish(notificationPushTopic, [notification], { topic: 'notification.push.v1.dlq', headers })
    const { ways } = await bench.trace({ kind: 'user', userId: notification.userId, productId: null })
    const step = ways[0]?.steps.find(({ kind }) => kind === 'dead-lettered')
    expect(step).toMatchObject({
      origin: 'notification.push.v1 2:256',
      reason: 'com.example.Broken',
      message: 'it broke',
    })
    expect(ways[0]?.ending).toEqual({ status: 'DEAD_LETTERED', reason: 'com.example.Broken' })
  })
})

describe('attempts', () => {
  it('come from every revision that Kafka has, the history and the ledger', async () => {
    const notification = notificationOf(drop(), randomUUID())
    const failed = {
      ...outcomeOf(notification),
      ...({ status: 'DEFERRED', reason: 'UNAVAILABLE', revision: 1 } as const),
      results: [acceptedResult({ code: 'UNAVAILABLE', at: now + 500 })],
    }
    const sent = {
      ...outcomeOf(notification),
      ...({ status: 'SENT', reason: null, revision: 2, occurredAt: now + 2_000 } as const),
      results: [acceptedResult({ attempt: 2, at: now + 1_500 })],
    }
    await bench.publish(notificationOutcomeTopic, [failed, sent])
    await bench.index(sent)
    const { notificationId, userId, productId, eventId } = notification
    await bench.plan(
      plannedNotification({ notificationId, userId, productId, eventId, composedAt: now, eventTimestamp: now }),
    )
    await bench.pool.query(
      `UPDATE deliveries SET status = 'SUCCESS', attempt = 2, latency_ms = 12, settled_at = now(), lease_until = NULL, lease_token = NULL
       WHERE notification_id = $1`,
      [notificationId],
    )
    const { ways } = await bench.trace({ kind: 'notification', notificationId })
    const attempts = ways[0]?.steps.flatMap((step) =>
      step.kind === 'attempted' ? [`${step.target} ${step.attempt} ${step.code}`] : [],
    )
    expect(attempts).toEqual(['device-1 1 UNAVAILABLE', 'device-1 2 null', 'phone 2 null'])
    expect(ways[0]?.ending.status).toBe('SENT')
  })
})

describe('an event', () => {
  it('is looked for among so many records, ends behind the markers of a transaction, and says if that was not enough', async () => {
    const event = drop()
    await bench.publish(productInventoryTopic, [event])
    await bench.publish(
      productInventoryTopic,
      Array.from({ length: 3_000 }, () => drop({ productId: event.productId })),
    )
    const producer = bench.kafka.producer({ transactionalId: randomUUID() })
    await producer.connect()
    const transaction = await producer.transaction()
    await transaction.send({ topic: productInventoryTopic.name, messages: [{ key: event.productId, value: 'x' }] })
    await transaction.abort()
    await producer.disconnect()

    const question = { kind: 'event', eventId: event.eventId } as const
    expect(await bench.trace(question, { mostRecords: 500 })).toMatchObject({ found: false, event: null })
    const { event: found } = await bench.trace(question)
    expect(found).toMatchObject({ productId: event.productId, steps: [{ kind: 'received' }, { kind: 'detected' }] })

    // Known by another way, it says what it did not find.
    await bench.index(outcomeOf(notificationOf(event, randomUUID())))
    const { event: partly } = await bench.trace(question, { mostRecords: 500 })
    expect(partly).toMatchObject({
      unknown: [{ what: 'event', why: 'beyond-scan' }],
      outcomes: [{ status: 'SENT', count: 1 }],
    })
  })

  it('shows how far its fan-out came, and that it was stopped for whoever was left', async () => {
    const event = drop()
    await bench.publish(productInventoryTopic, [event])
    await bench.redis.hset(`dropbell:fanout:price-drop:${event.eventId}`, { servedUsers: 4_000, userId: 'm', ended: 1 })
    const stopId = notificationIdOf({ eventId: event.eventId, userId: null, type: 'PRICE_DROP' })
    const stopped = { ...outcomeOf(notificationOf(event, '')), notificationId: stopId, userId: null, results: [] }
    await bench.index({ ...stopped, status: 'STALE', reason: 'PRICE_ROSE', revision: 0 })
    const trace = await bench.trace({ kind: 'event', eventId: event.eventId })
    expect(trace.event?.fanout).toEqual({ servedUsers: 4_000, ended: true })
    const { ways } = await bench.trace({ kind: 'event-and-user', eventId: event.eventId, userId: 'zoe' })
    expect(ways[0]).toMatchObject({ ending: { status: 'STALE', reason: 'PRICE_ROSE' } })
    expect(ways[0]?.steps).toContainEqual(expect.objectContaining({ kind: 'refused', reason: 'fan-out-stopped' }))
  })

  it('is found in the ledger where there is no history', async () => {
    const eventId = randomUUID()
    await bench.plan(plannedNotification({ eventId, userId: 'ann' }))
    const { ways, event } = await bench.trace({ kind: 'event', eventId }, { without: ['elasticsearch'] })
    expect(ways).toMatchObject([{ userId: 'ann', ending: { status: 'UNDER_WAY' } }])
    expect(event?.outcomes).toBeNull()
  })
})

describe('what nobody knows', () => {
  it.each([
    { kind: 'notification', notificationId: randomUUID() },
    { kind: 'notification', notificationId: 'no uuid' },
    { kind: 'event', eventId: 'never' },
    { kind: 'event-and-user', eventId: 'never', userId: 'nobody\0' },
    { kind: 'user', userId: 'nobody', productId: 'nothing' },
  ] as const)('is not found: %o', async (question) => {
    expect(await bench.trace(question)).toMatchObject({ found: false, ways: [] })
  })

  it('cannot be said where nobody can be asked', async () => {
    const without = ['kafka', 'redis', 'elasticsearch', 'postgres'] as const
    await expect(bench.trace({ kind: 'event', eventId: 'any' }, { without: [...without] })).rejects.toMatchObject({
      code: 'TRACE_SOURCES_UNAVAILABLE',
    })
  })
})
