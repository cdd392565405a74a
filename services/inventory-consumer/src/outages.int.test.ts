import { ServiceStartError } from '@dropbell/local-stack/service-process'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { indexBehaviors } from './testing/behaviors.ts'
import { createServiceWorld, priceDrop, type ServiceWorld, uniqueId } from './testing/service-world.ts'

let world: ServiceWorld

vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  world = await createServiceWorld()
})
afterEach(() => world.stopServices())
afterAll(() => world?.close())

const inTime = { timeout: 60_000, interval: 100 }
/** Small chunks: an outage costs the records in hand, and most are to be still in the topic then. */
const batch = { CONSUMER_MAX_BATCH_RECORDS: '3', CONSUMER_SESSION_TIMEOUT_MS: '20000' }

interface Campaign {
  events: ProductInventoryEvent[]
  /** Each of them is interested in one product of the campaign. */
  users: Map<string, string[]>
}

/** Price drops of several products, each with interested users of its own. */
const prepareCampaign = async (products: number, usersPerProduct: number): Promise<Campaign> => {
  const users = new Map(
    Array.from({ length: products }, () => [
      uniqueId('product'),
      Array.from({ length: usersPerProduct }, () => uniqueId('user')),
    ]),
  )
  const behaviors = [...users].flatMap(([productId, userIds]) =>
    userIds.map((userId) => ({ productId, userId, actionType: 'VIEW', timestamp: Date.now() - 60_000 })),
  )
  await indexBehaviors(world.elasticsearch, 'user_behavior_index', behaviors)
  return { users, events: [...users.keys()].map((productId) => priceDrop(productId)) }
}

const toldOf = ({ users }: Campaign): NotificationEvent[] =>
  world.notifications.all().filter(({ productId }) => users.has(productId))

/** A notification may be written twice; whoever sends it knows it by its id. */
const distinct = (notifications: NotificationEvent[]) =>
  new Map(notifications.map((told) => [told.notificationId, told]))

const expectEverybodyOnce = (campaign: Campaign, events: ProductInventoryEvent[] = campaign.events): void => {
  const expected = events.flatMap(({ productId }) =>
    (campaign.users.get(productId) ?? []).map((userId) => `${productId} ${userId}`),
  )
  const told = [...distinct(toldOf(campaign)).values()].map(({ productId, userId }) => `${productId} ${userId}`)
  expect(told.sort()).toEqual(expected.sort())
}

const deadLettersOf = ({ users }: Campaign) => world.deadLetters.all().filter(({ key }) => users.has(String(key)))

/** Every event has become notifications, or a dead letter. */
const untilAllSettled = (campaign: Campaign): Promise<void> =>
  vi.waitFor(() => {
    const dead = new Set(deadLettersOf(campaign).map(({ key }) => String(key)))
    expectEverybodyOnce(
      campaign,
      campaign.events.filter(({ productId }) => !dead.has(productId)),
    )
  }, inTime)

const replay = (campaign: Campaign) =>
  world.publishRaw(
    deadLettersOf(campaign).map(({ key, value, partition, headers }) => ({
      key,
      value,
      partition,
      headers: { ...headers, 'dropbell-replay-count': '1' },
    })),
  )

describe('two instances', () => {
  it('tell everybody once and keep the daily limit when one of them is killed in the middle of its work', async () => {
    const campaign = await prepareCampaign(60, 40)
    // Interested in all 60 products, and to be told of ten.
    const fan = uniqueId('fan')
    const interests = [...campaign.users.keys()].map((productId) => {
      return { productId, userId: fan, actionType: 'VIEW', timestamp: Date.now() - 60_000 }
    })
    await indexBehaviors(world.elasticsearch, 'user_behavior_index', interests)
    const [victim] = await Promise.all([world.startService(batch), world.startService(batch)])
    await world.publish(campaign.events)
    await vi.waitFor(() => expect(toldOf(campaign).length).toBeGreaterThan(50), inTime)
    await victim.kill()

    const others = () => distinct(toldOf(campaign).filter(({ userId }) => userId !== fan))
    await vi.waitFor(() => expect(others().size).toBe(60 * 40), inTime)
    const toFan = () => distinct(toldOf(campaign).filter(({ userId }) => userId === fan))
    const refusalsOfFan = () =>
      new Set(world.outcomes.all().flatMap((outcome) => (outcome.userId === fan ? outcome.notificationId : [])))
    await vi.waitFor(() => expect(toFan().size + refusalsOfFan().size).toBe(60), inTime)
    expect(toFan().size).toBe(10)
    expect(deadLettersOf(campaign)).toEqual([])
  })
})

describe('without Redis', () => {
  it('publishes nothing; afterwards every event is processed or a dead letter that makes the same notifications', async () => {
    const service = await world.startService(batch)
    const before = await prepareCampaign(10, 5)
    await world.publish(before.events)
    await vi.waitFor(() => expectEverybodyOnce(before), inTime)

    await world.stack.engine('redis').stop()
    const during = await prepareCampaign(60, 5)
    const stoppedAt = Date.now()
    await world.publish(during.events)
    await vi.waitFor(() => {
      expect(deadLettersOf(during).length).toBeGreaterThan(0)
      expect(Date.now() - stoppedAt).toBeGreaterThan(10_000)
    }, inTime)
    expect(toldOf(during)).toEqual([])
    await world.stack.engine('redis').start()

    await untilAllSettled(during)
    expect(deadLettersOf(during).length).toBeLessThan(during.events.length)
    expect(await service.metrics()).toMatch(/dropbell_consumer_pauses_total\{[^}]*dependency="redis"[^}]*\} [1-9]/)

    await replay(during)
    await vi.waitFor(() => expectEverybodyOnce(during), inTime)
    const first = [...distinct(toldOf(during)).keys()].sort()
    // A replay of all of it once more finds everybody told.
    await replay(during)
    const mark = await prepareCampaign(6, 1)
    for (const [index, event] of mark.events.entries()) await world.publish([event], index)
    await vi.waitFor(() => expectEverybodyOnce(mark), inTime)
    expect([...distinct(toldOf(during)).keys()].sort()).toEqual(first)
  })

  it('refuses to start on a Redis that evicts', async () => {
    const redis = new Redis(world.stack.env().REDIS_URL as string)
    try {
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(world.startService()).rejects.toThrow(ServiceStartError)
      await redis.config('SET', 'maxmemory-policy', 'noeviction')
      await world.startService()
    } finally {
      redis.disconnect()
    }
  })

  it('tells nobody while Redis is read-only, and loses nothing', async () => {
    const redis = new Redis(world.stack.env().REDIS_URL as string)
    try {
      await world.startService(batch)
      const campaign = await prepareCampaign(4, 3)
      await redis.replicaof('127.0.0.1', '1')
      await world.publish(campaign.events)
      await vi.waitFor(() => expect(deadLettersOf(campaign).length).toBeGreaterThan(0), inTime)
      expect(toldOf(campaign)).toEqual([])
      await redis.replicaof('NO', 'ONE')
      await untilAllSettled(campaign)
      await replay(campaign)
      await vi.waitFor(() => expectEverybodyOnce(campaign), inTime)
    } finally {
      redis.disconnect()
    }
  })
})

describe('without Elasticsearch', () => {
  it('retries, dead-letters what it has in hand, pauses, and goes on when it is back', async () => {
    const campaign = await prepareCampaign(60, 3)
    const service = await world.startService(batch)
    await world.stack.engine('elasticsearch').stop()
    await world.publish(campaign.events)
    await vi.waitFor(() => expect(deadLettersOf(campaign).length).toBeGreaterThan(0), { ...inTime, timeout: 90_000 })
    await world.stack.engine('elasticsearch').start()

    await untilAllSettled(campaign)
    expect(deadLettersOf(campaign).length).toBeLessThan(campaign.events.length)
    await replay(campaign)
    await vi.waitFor(() => expectEverybodyOnce(campaign), inTime)
    const metrics = await service.metrics()
    expect(metrics).toMatch(/dropbell_consumer_retries_total\{[^}]*\} [1-9]/)
    expect(metrics).toMatch(/dropbell_consumer_pauses_total\{[^}]*dependency="elasticsearch"[^}]*\} [1-9]/)
  })
})
