import { inventoryEvent } from '@dropbell/offers/testing/inventory-event'
import { createCodec } from '@dropbell/schemas/codec'
import { newestVersion } from '@dropbell/schemas/contract'
import { createMemoryRegistry } from '@dropbell/schemas/testing/memory-registry'
import { notificationFanoutTopic, subjectOf } from '@dropbell/schemas/topics'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { describe, expect, it } from 'vitest'
import { createFanoutDecoder, createFanoutPublisher, type Fanout } from './fanout-request.ts'

const event = inventoryEvent({ eventType: 'PRICE_CHANGE', previousPrice: 100, currentPrice: 95 })
const fanout: Fanout = {
  event,
  detection: { kind: 'price-drop', previousPrice: 100, currentPrice: 95, dropPercentage: 5 },
  asOf: event.timestamp,
  after: { userId: 'user-9', servedUsers: 1_000 },
}
const origin = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', replayCount: 0 }

const setUp = async () => {
  const registry = createMemoryRegistry()
  await registry.register(subjectOf(notificationFanoutTopic), newestVersion(notificationFanoutTopic.contract).schema)
  const codec = createCodec({ topic: notificationFanoutTopic, registry })
  const records: OutgoingRecord[] = []
  const publisher = { publish: async (sent: readonly OutgoingRecord[]) => void records.push(...sent) }
  return { codec, records, publish: createFanoutPublisher({ codec, publisher }), decode: createFanoutDecoder(codec) }
}

describe('a fan-out', () => {
  it('comes out of its request as it went in, whatever the threshold for a price drop is by then', async () => {
    const { publish, records, decode } = await setUp()
    const restock: Fanout = {
      event: inventoryEvent({ eventId: 'event-2', eventType: 'STOCK_CHANGE', previousStock: 0, currentStock: 4 }),
      detection: { kind: 'restock', currentStock: 4 },
      asOf: 12,
      after: undefined,
    }
    await publish([
      [fanout, origin],
      [restock, origin],
    ])
    expect(await decode(records.map(({ value }) => value))).toEqual([
      { ok: true, value: fanout },
      { ok: true, value: restock },
    ])
    expect(records.map(({ key }) => key)).toEqual(['event-1', 'event-2'])
  })

  it('carries on that its event came back from the dead letters', async () => {
    const { publish, records } = await setUp()
    await publish([
      [fanout, origin],
      [fanout, { ...origin, replayCount: 2 }],
    ])
    expect(records.map(({ headers }) => String(headers?.['dropbell-replay-count']))).toEqual(['undefined', '2'])
  })

  it('is unusable for good when its event is not what it says', async () => {
    const { codec, decode } = await setUp()
    const request = { event, asOf: 1, afterUserId: null, servedUsers: 0 }
    const requests = [
      { ...request, notificationType: 'BACK_IN_STOCK' as const },
      { ...request, notificationType: 'PRICE_DROP' as const, event: { ...event, currentPrice: null } },
    ]
    for (const result of await decode(await codec.encodeBatch(requests))) {
      expect(result).toMatchObject({ ok: false, error: { name: 'PermanentError', code: 'FANOUT_REQUEST_UNUSABLE' } })
    }
  })
})
