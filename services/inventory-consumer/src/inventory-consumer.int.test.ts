import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceProcess } from '@dropbell/local-stack/service-process'
import { notificationIdOf } from '@dropbell/notification-producer/notification-id'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { indexBehaviors } from './testing/behaviors.ts'
import { createServiceWorld, priceDrop, restock, type ServiceWorld, uniqueId } from './testing/service-world.ts'

let world: ServiceWorld
let service: ServiceProcess

beforeAll(async () => {
  world = await createServiceWorld()
  service = await world.startService()
})
afterAll(() => world?.close())

const soon = { timeout: 20_000, interval: 50 }

const behave = (productId: string, userIds: readonly string[], actionType = 'VIEW', ageMs = 60_000) =>
  indexBehaviors(
    world.elasticsearch,
    'user_behavior_index',
    userIds.map((userId) => ({ productId, userId, actionType, timestamp: Date.now() - ageMs })),
  )

const told = (productId: string) =>
  world.notifications.all().filter((notification) => notification.productId === productId)
const refusals = (userId: string) => world.outcomes.all().filter((outcome) => outcome.userId === userId)
const users = (count: number) => Array.from({ length: count }, () => uniqueId('user'))

/** Events are handled in order within a partition: what stands before this one has been handled when it is told. */
const untilHandled = async (partition: number): Promise<void> => {
  const product = uniqueId('mark')
  await behave(product, [uniqueId('user')])
  await world.publish([priceDrop(product)], partition)
  await vi.waitFor(() => expect(told(product)).toHaveLength(1), soon)
}

describe('inventory-consumer', () => {
  it('tells exactly the interested users of a price drop, in the words and on the channels of one', async () => {
    const product = uniqueId('sneakers')
    const [viewer, clicker, buyer, searcher, late] = users(5) as [string, string, string, string, string]
    await world.elasticsearch.index({
      index: 'product_index',
      id: product,
      document: { productName: '운동화' },
      refresh: true,
    })
    await behave(product, [viewer, viewer])
    await behave(product, [clicker], 'CLICK')
    await behave(product, [buyer], 'ADD_TO_CART')
    await behave(product, [searcher], 'SEARCH')
    await behave(product, [late], 'VIEW', 31 * 86_400_000)
    const event = priceDrop(product, { previousPrice: 99.9, currentPrice: 79.9 })
    await world.publish([event])

    await vi.waitFor(() => expect(told(product)).toHaveLength(3), soon)
    expect(
      told(product)
        .map(({ userId }) => userId)
        .sort(),
    ).toEqual([viewer, clicker, buyer].sort())
    expect(told(product)[0]).toMatchObject({
      notificationType: 'PRICE_DROP',
      title: '가격이 떨어졌어요!',
      body: expect.stringContaining('운동화가 20%'),
      data: { previousPrice: '99.9', currentPrice: '79.9', dropPercentage: '20' },
      channels: ['PUSH', 'IN_APP'],
      priority: 'HIGH',
      eventId: event.eventId,
      eventTimestamp: event.timestamp,
      expiresAt: event.timestamp + 86_400_000,
    })
  })

  it('tells only who has the product in the cart when it is back', async () => {
    const product = uniqueId('bag')
    const [owner, viewer] = users(2) as [string, string]
    await behave(product, [owner], 'ADD_TO_CART')
    await behave(product, [viewer])
    await world.publish([restock(product)])
    await vi.waitFor(() => expect(told(product)).toHaveLength(1), soon)
    expect(told(product)[0]).toMatchObject({ userId: owner, channels: ['PUSH', 'SMS'], data: { currentStock: '5' } })
  })

  it('does not tell a user again about the same product and type within the hour, and says why', async () => {
    const product = uniqueId('lamp')
    const [user] = users(1) as [string]
    await behave(product, [user])
    const first = priceDrop(product)
    const second = priceDrop(product, { previousPrice: 80, currentPrice: 60 })
    await world.publish([first, second])
    await vi.waitFor(() => expect(refusals(user)).toHaveLength(1), soon)
    expect(told(product)).toHaveLength(1)
    expect(refusals(user)[0]).toMatchObject({
      status: 'RATE_LIMITED',
      blockingEventId: first.eventId,
      eventId: second.eventId,
    })
  })

  it('refuses the eleventh notification of a day', async () => {
    const [user] = users(1) as [string]
    const ten = Array.from({ length: 10 }, () => uniqueId('cup'))
    const eleventh = uniqueId('cup')
    for (const product of [...ten, eleventh]) await behave(product, [user])
    await world.publish(
      ten.map((product) => priceDrop(product)),
      0,
    )
    await vi.waitFor(() => expect(ten.flatMap(told)).toHaveLength(10), soon)
    await world.publish([priceDrop(eleventh)], 0)
    await vi.waitFor(() => expect(refusals(user)).toHaveLength(1), soon)
    expect(refusals(user)[0]).toMatchObject({ status: 'RATE_LIMITED', dayCount: 10, productId: eleventh })
    expect(told(eleventh)).toEqual([])
  })

  it('leaves all ten of a day to restocks for a user who opted out of price drops', async () => {
    const [user] = users(1) as [string]
    await world.pool.query('INSERT INTO notification_preferences (user_id, price_drop_enabled) VALUES ($1, false)', [
      user,
    ])
    const products = Array.from({ length: 10 }, () => uniqueId('book'))
    for (const product of products) await behave(product, [user], 'ADD_TO_CART')
    await world.publish(
      products.map((product) => priceDrop(product)),
      1,
    )
    await world.publish(
      products.map((product) => restock(product)),
      1,
    )
    await vi.waitFor(() => expect(products.flatMap(told)).toHaveLength(10), soon)
    expect(new Set(products.flatMap(told).map(({ notificationType }) => notificationType))).toEqual(
      new Set(['BACK_IN_STOCK']),
    )
    expect(refusals(user).filter(({ status }) => status === 'USER_OPTED_OUT')).toHaveLength(10)
  })

  it('dead-letters poison byte for byte and without retrying, unharmed neighbours included', async () => {
    const before = uniqueId('before')
    const after = uniqueId('after')
    for (const product of [before, after]) await behave(product, users(1))
    const unknownSchema = Buffer.concat([Buffer.from([0, 0, 0, 3, 231]), Buffer.from('who knows')])
    const cutShort = (await world.encode(priceDrop(uniqueId('cut')))).subarray(0, 12)
    const versionOne = uniqueId('version-one')
    await behave(versionOne, users(1))
    const poison = [Buffer.from('not avro at all'), null, unknownSchema, cutShort]
    await world.publishRaw([
      { partition: 2, key: before, value: await world.encode(priceDrop(before)) },
      ...poison.map((value) => ({ partition: 2, key: 'poison', value, headers: { source: 'warehouse' } })),
      { partition: 2, key: versionOne, value: await world.encodeVersionOne(priceDrop(versionOne)) },
      { partition: 2, key: after, value: await world.encode(priceDrop(after)) },
    ])
    await vi.waitFor(() => expect([before, versionOne, after].flatMap(told)).toHaveLength(3), soon)
    await vi.waitFor(() => expect(world.deadLetters.all()).toHaveLength(4), soon)
    const letters = world.deadLetters.all()
    expect(letters.map(({ value }) => value)).toEqual(poison)
    for (const { partition, headers, key } of letters) {
      expect({ partition, key: String(key), source: String(headers?.source) }).toEqual({
        partition: 2,
        key: 'poison',
        source: 'warehouse',
      })
      expect(String(headers?.['kafka_dlt-original-topic'])).toBe('product.inventory.v1')
      expect(String(headers?.['dropbell-attempts'])).toBe('1')
    }
  })

  it('does not take a slot from users who were told already when an event comes again after hours', async () => {
    const product = uniqueId('desk')
    const [knownUser, newUser] = users(2) as [string, string]
    await behave(product, [knownUser, newUser], 'VIEW', 5 * 3_600_000)
    const event = priceDrop(product, { timestamp: Date.now() - 3 * 3_600_000 })
    const id = notificationIdOf({ eventId: event.eventId, userId: knownUser, type: 'PRICE_DROP' })
    await world.pool.query(
      `INSERT INTO notifications (notification_id, user_id, notification_type, product_id, event_id)
       VALUES ($1, $2, 'PRICE_DROP', $3, $4)`,
      [id, knownUser, product, event.eventId],
    )
    await world.publish([event])
    await vi.waitFor(() => expect(told(product)).toHaveLength(1), soon)
    expect(told(product)[0]?.userId).toBe(newUser)
    const products = Array.from({ length: 10 }, () => uniqueId('chair'))
    for (const other of products) await behave(other, [knownUser])
    await world.publish(products.map((other) => priceDrop(other)))
    await vi.waitFor(() => expect(products.flatMap(told)).toHaveLength(10), soon)
  })

  it('ignores what is no price drop and no restock, and counts it by reason', async () => {
    const product = uniqueId('pen')
    await behave(product, users(1), 'ADD_TO_CART')
    await world.publish(
      [
        priceDrop(product, { currentPrice: 90.01 }),
        priceDrop(product, { currentPrice: 120 }),
        priceDrop(product, { previousPrice: null }),
        restock(product, { currentStock: 0 }),
        priceDrop(product, { eventType: 'PRODUCT_UPDATE' }),
      ],
      3,
    )
    await untilHandled(3)
    expect(told(product)).toEqual([])
    expect(await service.metrics()).toMatch(
      /dropbell_inventory_events_total\{[^}]*result="drop-below-threshold"[^}]*\} [1-9]/,
    )
  })

  it('publishes within 30 s of the event at 100 events a second', async () => {
    const products = Array.from({ length: 1_000 }, () => uniqueId('hot'))
    const behaviors = products.flatMap((productId) =>
      users(2).map((userId) => ({ productId, userId, actionType: 'VIEW', timestamp: Date.now() - 60_000 })),
    )
    await indexBehaviors(world.elasticsearch, 'user_behavior_index', behaviors)
    for (let second = 0; second < 10; second++) {
      const begun = Date.now()
      await world.publish(products.slice(second * 100, second * 100 + 100).map((product) => priceDrop(product)))
      await delay(Math.max(0, begun + 1_000 - Date.now())) // the rate, not a wait
    }
    const hot = new Set(products)
    const toldOfHot = () => world.notifications.all().filter(({ productId }) => hot.has(productId))
    await vi.waitFor(() => expect(toldOfHot()).toHaveLength(2_000), { timeout: 60_000, interval: 100 })
    const waits = toldOfHot().map(({ publishedAt, eventTimestamp }) => publishedAt - (eventTimestamp ?? 0))
    waits.sort((a, b) => a - b)
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(30_000)
  })

  it('is ready, shows its metrics, and stops in good order', async () => {
    const metrics = await service.metrics()
    for (const name of [
      'dropbell_triggers_detected_total',
      'dropbell_admissions_total',
      'dropbell_gate_seconds_bucket',
    ]) {
      expect(metrics).toContain(name)
    }
    expect(await service.stop()).toBe(0)
  })
})
