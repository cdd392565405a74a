import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { notificationFanoutTopic, notificationPushTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import { Partitioners } from 'kafkajs'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { indexBehaviors } from './testing/behaviors.ts'
import {
  createServiceWorld,
  priceDrop,
  restock,
  type ServiceWorld,
  type Told,
  uniqueId,
} from './testing/service-world.ts'

let world: ServiceWorld

vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  world = await createServiceWorld()
})
afterEach(() => world.stopServices())
afterAll(() => world?.close())

const inTime = { timeout: 90_000, interval: 50 }
const unpaced = { PACING_MAX_LAG: '0', CONSUMER_SESSION_TIMEOUT_MS: '20000' }
/** Slow enough to do something half-way. */
const slow = { ...unpaced, NOTIFICATION_BATCH_SIZE: '500', NOTIFICATION_BATCH_DELAY_MS: '60' }
/** For what another event has to get through the whole service meanwhile. */
const slower = { ...slow, NOTIFICATION_BATCH_DELAY_MS: '300' }

/** A product that so many users are interested in. */
const hotProduct = async (users: number, actionType = 'VIEW'): Promise<string> => {
  const productId = uniqueId('hot')
  const behaviors = Array.from({ length: users }, (_, n) => {
    return { productId, userId: `${productId}-user-${n}`, actionType, timestamp: Date.now() - 60_000 }
  })
  await indexBehaviors(world.elasticsearch, 'user_behavior_index', behaviors)
  return productId
}

const told = (productId: string): Told[] => world.notifications.all().filter((sent) => sent.productId === productId)
const distinct = (productId: string): number =>
  new Set(told(productId).map(({ notificationId }) => notificationId)).size
const requestsFor = ({ eventId }: ProductInventoryEvent) =>
  world.fanoutRequests.all().filter(({ event }) => event.eventId === eventId)
const stopsOf = ({ eventId }: ProductInventoryEvent) =>
  world.outcomes.all().filter((outcome) => outcome.eventId === eventId && outcome.userId === null)

/** Everybody, and with their own notification each. */
const expectEverybody = (productId: string, users: number): void => {
  expect(distinct(productId)).toBe(users)
  expect(new Set(told(productId).map(({ userId }) => userId)).size).toBe(users)
}

/** What is written again when Redis does not answer in time: of an audience told at once all of it, of a larger one a part. */
const mostRepeated = 1_000

/** Nobody twice. On a machine that stands still for a moment Redis misses its 200 ms; what is repeated then has the same ids. */
const expectEverybodyOnce = (productId: string, users: number): void => {
  expectEverybody(productId, users)
  expect(told(productId).length - users).toBeLessThanOrEqual(world.missedByRedis() * mostRepeated)
}

/** Its users are in all partitions: whatever was told before it has been seen when all of it is. */
const untilAllSeen = async (): Promise<void> => {
  const mark = await hotProduct(1_500)
  await world.publish([priceDrop(mark)])
  await vi.waitFor(() => expectEverybody(mark, 1_500), inTime)
}

describe('a large audience', () => {
  it('is told at once up to FANOUT_INLINE_USERS, and the rest by whoever has the role', async () => {
    const productId = await hotProduct(2_500)
    const event = priceDrop(productId)
    await world.startService({ ...unpaced, ROLE: 'detect' })
    await world.publish([event])
    await vi.waitFor(() => expect(requestsFor(event)).toHaveLength(1), inTime)
    expect(requestsFor(event)[0]).toMatchObject({ notificationType: 'PRICE_DROP', asOf: event.timestamp })
    expect(requestsFor(event)[0]?.servedUsers).toBe(1_000)
    await vi.waitFor(() => expect(distinct(productId)).toBe(1_000), inTime)

    await world.startService({ ...unpaced, ROLE: 'fanout' })
    await vi.waitFor(() => expectEverybody(productId, 2_500), inTime)
    expectEverybodyOnce(productId, 2_500)
  })

  it('is cut at TARGET_USER_LIMIT over all its parts', async () => {
    const productId = await hotProduct(5_000)
    const service = await world.startService({ ...unpaced, TARGET_USER_LIMIT: '3500', FANOUT_TURN_MS: '1' })
    await world.publish([priceDrop(productId)])
    await vi.waitFor(async () => expect(await service.metrics()).toMatch(/fanouts_total\{[^}]*"cut"[^}]*\} 1/), inTime)
    await vi.waitFor(() => expectEverybody(productId, 3_500), inTime)
    expect(await service.metrics()).toMatch(/dropbell_audiences_cut_total\{[^}]*price-drop[^}]*\} 1/)
  })

  it('is told once, however often it is asked for', async () => {
    const productId = await hotProduct(4_000)
    const event = priceDrop(productId)
    const service = await world.startService({ ...slow, FANOUT_TURN_MS: '100' })
    await world.publish([event])
    await vi.waitFor(() => expect(requestsFor(event).length).toBeGreaterThan(1), inTime)
    const [first] = requestsFor(event)
    if (first) for (let again = 0; again < 3; again++) await world.publishFanout(first)
    await vi.waitFor(async () => expect(await service.metrics()).toMatch(/fanouts_total\{[^}]*"told"[^}]*\} 1/), inTime)
    if (first) await world.publishFanout(first)
    await untilAllSeen()
    expectEverybodyOnce(productId, 4_000)
  })
})

describe('a fan-out of 50,000', () => {
  it('goes on from its checkpoint on another instance after kill -9, and reaches every target once', async () => {
    const users = 50_000
    const productId = await hotProduct(users)
    await world.startService({ ...unpaced, ROLE: 'detect' })
    // One turn for all of it: nothing but the checkpoint says where to go on.
    const victim = await world.startService({ ...slow, ROLE: 'fanout', FANOUT_TURN_MS: '600000' })
    await world.publish([priceDrop(productId)])
    await vi.waitFor(() => expect(told(productId).length).toBeGreaterThan(20_000), inTime)
    await victim.kill()
    const servedByVictim = distinct(productId)
    expect(servedByVictim).toBeLessThan(users)

    const heir = await world.startService({ ...unpaced, ROLE: 'fanout' })
    await vi.waitFor(() => expectEverybody(productId, users), inTime)
    // What was under way when it died may have been written twice, under the same ids; nothing before that.
    expect(told(productId).length).toBeLessThan(users + 5_000)
    const [, admitted] =
      /admissions_total\{[^}]*PRICE_DROP[^}]*"admitted"[^}]*\} (\d+)/.exec(await heir.metrics()) ?? []
    expect(Number(admitted)).toBeLessThanOrEqual(users - servedByVictim + 5_000)
  })

  it('is left in good order by an instance that is told to stop: nobody is told twice', async () => {
    const productId = await hotProduct(20_000)
    await world.startService({ ...unpaced, ROLE: 'detect' })
    const first = await world.startService({ ...slow, ROLE: 'fanout' })
    await world.publish([priceDrop(productId)])
    await vi.waitFor(() => expect(told(productId).length).toBeGreaterThan(3_000), inTime)
    expect(await first.stop()).toBe(0)
    expect(distinct(productId)).toBeLessThan(20_000)
    await world.startService({ ...unpaced, ROLE: 'fanout' })
    await vi.waitFor(() => expectEverybody(productId, 20_000), inTime)
    expectEverybodyOnce(productId, 20_000)
  })
})

describe('an offer that does not last', () => {
  it('is not told to the rest when the price rises half-way; one outcome says so for all of them', async () => {
    const productId = await hotProduct(30_000)
    await world.startService(slower)
    const event = priceDrop(productId)
    await world.publish([event])
    await vi.waitFor(() => expect(told(productId).length).toBeGreaterThan(3_000), inTime)
    await world.publish([priceDrop(productId, { previousPrice: 80, currentPrice: 90 })])
    await vi.waitFor(() => expect(stopsOf(event)).toHaveLength(1), inTime)
    expect(stopsOf(event)[0]).toMatchObject({ status: 'STALE', reason: 'PRICE_ROSE', type: 'PRICE_DROP', productId })
    expect(told(productId).length).toBeLessThan(25_000)
    await untilAllSeen()
    const sentBefore = distinct(productId)
    // Nobody goes on with it, not even when it is asked for again.
    for (const request of requestsFor(event)) await world.publishFanout(request)
    await untilAllSeen()
    expect(distinct(productId)).toBe(sentBefore)
    expect(stopsOf(event)).toHaveLength(1)
  })

  it('is not told to the rest when it sold out', async () => {
    const productId = await hotProduct(20_000, 'ADD_TO_CART')
    await world.startService(slower)
    const event = restock(productId)
    await world.publish([event])
    await vi.waitFor(() => expect(told(productId).length).toBeGreaterThan(2_000), inTime)
    await world.publish([restock(productId, { previousStock: 5, currentStock: 0 })])
    await vi.waitFor(() => expect(stopsOf(event)).toHaveLength(1), inTime)
    expect(stopsOf(event)[0]).toMatchObject({ status: 'STALE', reason: 'SOLD_OUT', type: 'BACK_IN_STOCK' })
    expect(told(productId).length).toBeLessThan(20_000)
  })
})

/** Stands in for the senders: reads all of it, or nothing. */
const runSender = async () => {
  const consumer = world.kafka.consumer({ groupId: 'push-sender-group', maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic: notificationPushTopic.name, fromBeginning: true })
  await consumer.run({ eachBatch: async () => {}, autoCommitInterval: 100 })
  return consumer
}

const lagOfSender = async (): Promise<number> => {
  const topic = notificationPushTopic.name
  const [[committed], ends] = await Promise.all([
    world.admin.fetchOffsets({ groupId: 'push-sender-group', topics: [topic] }),
    world.admin.fetchTopicOffsets(topic),
  ])
  const offsets = new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
  return ends.reduce((lag, { partition, high }) => lag + Number(high) - (offsets.get(partition) ?? 0), 0)
}

const membersOf = async (groupId: string): Promise<string[]> => {
  const { groups } = await world.admin.describeGroups([groupId])
  return (groups[0]?.members ?? []).map(({ memberId }) => memberId)
}

describe('while the senders stand still', () => {
  it('a fan-out waits at the bound, other products are told, nobody leaves a group; then it goes on', async () => {
    const sender = await runSender()
    await vi.waitFor(async () => expect(await lagOfSender()).toBe(0), inTime)
    await sender.disconnect()

    const productId = await hotProduct(20_000)
    const others = await Promise.all(Array.from({ length: 12 }, () => hotProduct(5)))
    const service = await world.startService({ PACING_MAX_LAG: '2000', CONSUMER_SESSION_TIMEOUT_MS: '20000' })
    const groups = [productInventoryTopic, notificationFanoutTopic].map(({ group }) => (group as { id: string }).id)
    const membersBefore = await Promise.all(groups.map(membersOf))
    await world.publish([priceDrop(productId)])
    const isPaced = () => service.lines().some(({ msg }) => msg === 'paced: too much waits to be read')
    await vi.waitFor(() => expect(isPaced()).toBe(true), inTime)
    const pacedAt = Date.now()
    expect(await lagOfSender()).toBeGreaterThanOrEqual(2_000)

    for (const [index, other] of others.entries()) await world.publish([priceDrop(other)], index % 6)
    await vi.waitFor(() => {
      for (const other of others) expectEverybody(other, 5)
    }, inTime)
    // Longer than a session lasts without a heartbeat.
    await vi.waitFor(() => expect(Date.now() - pacedAt).toBeGreaterThan(25_000), inTime)
    // One part more than the bound at the most, and what the others were told.
    expect(distinct(productId)).toBeLessThanOrEqual(3_000)
    expect(await Promise.all(groups.map(membersOf))).toEqual(membersBefore)

    const resumed = await runSender()
    await vi.waitFor(() => expectEverybody(productId, 20_000), inTime)
    await resumed.disconnect()
    expectEverybodyOnce(productId, 20_000)
  })

  it('a fan-out waits for their first sign of life, if that is required', async () => {
    const productId = await hotProduct(1_500)
    const service = await world.startService({ PACING_MAX_LAG: '100000', PACING_REQUIRE_CONSUMER: 'true' })
    await world.publish([priceDrop(productId)])
    await vi.waitFor(async () => expect(await service.metrics()).toMatch(/pacing_lag_records\S* \+?Inf/), inTime)
    await vi.waitFor(() => expect(distinct(productId)).toBe(1_000), inTime)
    const sender = await runSender()
    await vi.waitFor(() => expectEverybody(productId, 1_500), inTime)
    await sender.disconnect()
  })
})

describe('two hot products', () => {
  const partitionOf = (key: string): number => {
    const partitionMetadata = Array.from({ length: notificationFanoutTopic.partitions }, (_, partitionId) => {
      return { partitionId, leader: 1, partitionErrorCode: 0, replicas: [1], isr: [1] }
    })
    const choose = Partitioners.DefaultPartitioner()
    return choose({ topic: notificationFanoutTopic.name, partitionMetadata, message: { key, value: null } })
  }
  const inSamePartition = (productId: string, other: ProductInventoryEvent): ProductInventoryEvent => {
    for (;;) {
      const event = priceDrop(productId)
      if (partitionOf(event.eventId) === partitionOf(other.eventId)) return event
    }
  }

  it('progress side by side, even where they share a partition', async () => {
    const products = await Promise.all([hotProduct(10_000), hotProduct(10_000)])
    const first = priceDrop(products[0] as string)
    const second = inSamePartition(products[1] as string, first)
    await world.startService({ ...unpaced, ROLE: 'detect' })
    await world.publish([first, second])
    await vi.waitFor(() => {
      for (const event of [first, second]) expect(requestsFor(event)).toHaveLength(1)
    }, inTime)

    await world.startService({ ...unpaced, ROLE: 'fanout', FANOUT_TURN_MS: '100', NOTIFICATION_BATCH_SIZE: '200' })
    await vi.waitFor(() => {
      for (const productId of products) expectEverybody(productId, 10_000)
    }, inTime)
    // Of each, a third is told before the other has two thirds.
    const timeOf = (productId: string, share: number): number =>
      told(productId)
        .map(({ publishedAt }) => publishedAt)
        .sort((a, b) => a - b)[Math.floor(10_000 * share)] as number
    const [one, other] = products as [string, string]
    expect(timeOf(one, 1 / 3)).toBeLessThan(timeOf(other, 2 / 3))
    expect(timeOf(other, 1 / 3)).toBeLessThan(timeOf(one, 2 / 3))
  })
})
