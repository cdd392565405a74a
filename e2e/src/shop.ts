import { randomUUID } from 'node:crypto'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { Client } from '@elastic/elasticsearch'
import type { Pool } from 'pg'

/**
 * A small shop for the demo: sneakers that many looked at, a backpack in some carts, a lamp whose price was low for a
 * minute only, and a fan of eleven other things.
 * Ids are new in each run, so that the hour and the day of an earlier run do not count.
 */
export interface Shop {
  sneakers: string
  backpack: string
  lamp: string
  /** Eleven products that one and the same user likes: one more than a day allows. */
  trifles: string[]
  events: ProductInventoryEvent[]
  /** Visitors who do not want to hear of prices. */
  optedOut: string[]
  /** A visitor's second phone, whose token FCM no longer knows. */
  deadDevice: { deviceId: string; token: string }
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)

export const openShop = async (elasticsearch: Client, postgres: Pool): Promise<Shop> => {
  const run = randomUUID().slice(0, 8)
  const [sneakers, backpack, lamp] = [`sneakers-${run}`, `backpack-${run}`, `lamp-${run}`]
  const trifles = numbered(`trifle-${run}`, 11)
  const visitors = numbered(`visitor-${run}`, 40)
  const timestamp = Date.now() - 600_000
  const behaviour = (productId: string, userId: string, actionType: string) => ({
    productId,
    userId,
    actionType,
    timestamp,
  })
  const behaviours = [
    ...visitors.map((userId) => behaviour(sneakers, userId, 'VIEW')),
    ...visitors.slice(0, 12).map((userId) => behaviour(backpack, userId, 'ADD_TO_CART')),
    ...visitors.slice(20, 25).map((userId) => behaviour(lamp, userId, 'VIEW')),
    ...trifles.map((productId) => behaviour(productId, `fan-${run}`, 'CLICK')),
  ]
  const names = { [sneakers]: '운동화', [backpack]: '가방', [lamp]: '조명' }
  await elasticsearch.bulk({
    refresh: true,
    operations: [
      ...behaviours.flatMap((document) => [{ index: { _index: 'user_behavior_index' } }, document]),
      ...Object.entries(names).flatMap(([_id, productName]) => [
        { index: { _index: 'product_index', _id } },
        { productName },
      ]),
    ],
  })
  // Five visitors do not want to hear of prices; five do not want to be rung at this hour; five read English; two of
  // those who have the backpack in their cart want a text message too.
  await postgres.query(
    'INSERT INTO notification_preferences (user_id, price_drop_enabled) SELECT unnest($1::text[]), false',
    [visitors.slice(0, 5)],
  )
  await postgres.query(
    `INSERT INTO notification_preferences (user_id, quiet_hours_start, quiet_hours_end)
     SELECT u, (now() AT TIME ZONE 'Asia/Seoul')::time - interval '1 hour',
       (now() AT TIME ZONE 'Asia/Seoul')::time + interval '2 hours'
     FROM unnest($1::text[]) u`,
    [visitors.slice(30, 35)],
  )
  await postgres.query(
    "INSERT INTO notification_preferences (user_id, channels) SELECT unnest($1::text[]), '{PUSH,SMS,IN_APP}'",
    [visitors.slice(10, 12)],
  )
  await postgres.query("INSERT INTO user_info (user_id, phone) SELECT unnest($1::text[]), '+821000000000'", [
    visitors.slice(10, 12),
  ])
  await postgres.query("INSERT INTO user_info (user_id, locale) SELECT unnest($1::text[]), 'en'", [
    visitors.slice(5, 10),
  ])
  // Everybody has a phone; one visitor also has an old one.
  const optedOut = visitors.slice(0, 5)
  const deadDevice = { deviceId: `old-phone-${run}`, token: `dead-token-${run}` }
  await postgres.query(
    `INSERT INTO devices (device_id, user_id, token, platform, push_consent)
     SELECT 'phone-' || u, u, 'token-' || u, 'ANDROID', true FROM unnest($1::text[]) u
     UNION ALL SELECT $2, $3, $4, 'IOS', true`,
    [[...visitors, `fan-${run}`], deadDevice.deviceId, visitors[10], deadDevice.token],
  )
  const drop = { previousPrice: 99.9, currentPrice: 79.9 }
  const events = [
    inventoryEvent(sneakers, 'PRICE_CHANGE', drop),
    inventoryEvent(backpack, 'STOCK_CHANGE', { previousStock: 0, currentStock: 12 }),
    inventoryEvent(sneakers, 'PRICE_CHANGE', { previousPrice: 79.9, currentPrice: 69.9 }),
    inventoryEvent(backpack, 'PRODUCT_UPDATE', {}),
    // What is told late is told only if it is still true.
    inventoryEvent(lamp, 'PRICE_CHANGE', { previousPrice: 50, currentPrice: 40, timestamp: Date.now() - 120_000 }),
    inventoryEvent(lamp, 'PRICE_CHANGE', { previousPrice: 40, currentPrice: 50, timestamp: Date.now() - 90_000 }),
    ...trifles.map((trifle) => inventoryEvent(trifle, 'PRICE_CHANGE', drop)),
  ]
  return { sneakers, backpack, lamp, trifles, events, optedOut, deadDevice }
}

const inventoryEvent = (
  productId: string,
  eventType: ProductInventoryEvent['eventType'],
  change: Partial<ProductInventoryEvent>,
): ProductInventoryEvent => ({
  eventId: randomUUID(),
  productId,
  eventType,
  previousPrice: null,
  currentPrice: null,
  previousStock: null,
  currentStock: null,
  timestamp: Date.now(),
  ...change,
})
