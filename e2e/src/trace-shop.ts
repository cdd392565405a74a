import { randomUUID } from 'node:crypto'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { Client } from '@elastic/elasticsearch'
import type { Pool } from 'pg'

/** One shopper for each reason why somebody is told or is not. Ids are new in each run. */
export const openTraceShop = async (elasticsearch: Client, pool: Pool) => {
  const run = randomUUID().slice(0, 8)
  const name = (who: string): string => `${who}-${run}`
  const products = { sneakers: name('sneakers'), coat: name('coat'), lamp: name('lamp') }
  const trifles = Array.from({ length: 11 }, (_, index) => name(`trifle-${index}`))
  const users = {
    told: name('told'),
    optedOut: name('opted-out'),
    asleep: name('asleep'),
    deadToken: name('dead-token'),
    tooLate: name('too-late'),
    fan: name('fan'),
    stranger: name('stranger'),
  }
  const now = Date.now()
  const view = (userId: string, productId: string, at = now - 600_000) => ({
    ...{ userId, productId, actionType: 'VIEW' },
    timestamp: at,
  })
  const { told, optedOut, asleep, deadToken, tooLate, fan, stranger } = users
  const behaviours = [
    ...[told, optedOut, asleep, deadToken].map((userId) => view(userId, products.sneakers)),
    view(stranger, products.sneakers, now - 45 * 86_400_000),
    view(tooLate, products.coat),
    ...trifles.map((trifle) => view(fan, trifle)),
  ]
  const operations = behaviours.flatMap((document) => [{ index: { _index: 'user_behavior_index' } }, document])
  await elasticsearch.bulk({ refresh: true, operations })
  const withPhone = [told, optedOut, asleep, deadToken, tooLate, fan]
  await pool.query(
    `INSERT INTO devices (device_id, user_id, token, platform, push_consent)
     SELECT 'phone-' || u, u, 'token-' || u, 'ANDROID', true FROM unnest($1::text[]) u`,
    [withPhone],
  )
  await pool.query('INSERT INTO notification_preferences (user_id, price_drop_enabled) VALUES ($1, false)', [optedOut])
  await pool.query(
    `INSERT INTO notification_preferences (user_id, quiet_hours_start, quiet_hours_end)
     VALUES ($1, (now() AT TIME ZONE 'Asia/Seoul' - interval '2 hours')::time, (now() AT TIME ZONE 'Asia/Seoul' + interval '2 hours')::time)`,
    [asleep],
  )
  return { users, products, trifles, deadToken: `token-${deadToken}` }
}

export const priceChange = (
  productId: string,
  from: number,
  to: number,
  timestamp = Date.now(),
): ProductInventoryEvent => ({
  eventId: randomUUID(),
  productId,
  eventType: 'PRICE_CHANGE',
  previousPrice: from,
  currentPrice: to,
  previousStock: null,
  currentStock: null,
  timestamp,
})
