import { createCodec } from '@dropbell/schemas/codec'
import { newestVersion } from '@dropbell/schemas/contract'
import { createMemoryRegistry } from '@dropbell/schemas/testing/memory-registry'
import { notificationOutcomeTopic, subjectOf } from '@dropbell/schemas/topics'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { describe, expect, it } from 'vitest'
import { createRecordStop } from './record-stop.ts'
import { samplePriceDrop } from './testing/sample-triggers.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const context = { trigger: samplePriceDrop, now: 1_000, traceparent }

const setUp = async (HISTORY_REFUSALS: 'on' | 'off' = 'on') => {
  const registry = createMemoryRegistry()
  await registry.register(subjectOf(notificationOutcomeTopic), newestVersion(notificationOutcomeTopic.contract).schema)
  const codec = createCodec({ topic: notificationOutcomeTopic, registry })
  const records: OutgoingRecord[] = []
  const publisher = { publish: async (sent: readonly OutgoingRecord[]) => void records.push(...sent) }
  const recordStop = createRecordStop({ codec, publisher, config: { HISTORY_REFUSALS } })
  return { recordStop, records, outcomes: () => Promise.all(records.map(({ value }) => codec.decode(value))) }
}

describe('a fan-out that was stopped', () => {
  it.each([
    ['price-rose', 'STALE', 'PRICE_ROSE'],
    ['sold-out', 'STALE', 'SOLD_OUT'],
    ['expired', 'EXPIRED', 'EXPIRED'],
  ] as const)('for %s is on record as %s, once for everybody who was not told', async (stop, status, reason) => {
    const { recordStop, outcomes } = await setUp()
    await recordStop(stop, context)
    expect(await outcomes()).toEqual([
      expect.objectContaining({ status, reason, eventId: 'evt-1', productId: 'P-1', userId: null, revision: 0 }),
    ])
  })

  it('has the same id however often it is recorded, and is kept by that id', async () => {
    const { recordStop, records, outcomes } = await setUp()
    await recordStop('price-rose', context)
    await recordStop('price-rose', { ...context, now: 2_000 })
    const ids = (await outcomes()).map(({ notificationId }) => notificationId)
    expect(new Set(ids).size).toBe(1)
    expect(records.map(({ key }) => key)).toEqual(ids)
  })

  it('is not on record where the history does not want refusals', async () => {
    const { recordStop, records } = await setUp('off')
    await recordStop('price-rose', context)
    expect(records).toEqual([])
  })
})
