import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { readDeadLetter } from './dead-letter.ts'
import { withinPartitions } from './targets.ts'
import { restoreRecord, treatByDismissal, treatByReplay } from './treatment.ts'

const int32 = (value: number): Buffer => Buffer.from(Uint8Array.of(value >> 24, value >> 16, value >> 8, value))

const letterWith = (headers: Record<string, Buffer | string | Buffer[] | null>) =>
  readDeadLetter('shop.v1.dlq', 1, {
    key: Buffer.from('k'),
    value: Buffer.from([0, 255]),
    headers,
    offset: '7',
    timestamp: '1000',
    attributes: 0,
  } as unknown as KafkaMessage)

const ours = {
  'dropbell-event-id': Buffer.from('e'),
  traceparent: Buffer.from('00-1-2-00'),
  'kafka_dlt-original-topic': Buffer.from('shop.v1'),
  'kafka_dlt-original-partition': int32(3),
  'kafka_dlt-something-new': Buffer.from('x'),
  'dropbell-attempts': Buffer.from('4'),
  'dropbell-replay-count': Buffer.from('1'),
}

describe('a replayed record', () => {
  it('is the original: its bytes, its partition, and its headers without those of the failure', () => {
    expect(restoreRecord(letterWith(ours), 'shop.v1')).toEqual({
      topic: 'shop.v1',
      partition: 3,
      key: Buffer.from('k'),
      value: Buffer.from([0, 255]),
      headers: {
        'dropbell-event-id': [Buffer.from('e')],
        traceparent: [Buffer.from('00-1-2-00')],
        'dropbell-replay-count': Buffer.from('2'),
      },
    })
  })

  it('keeps every value of a repeated header, and an empty one for none', () => {
    const { headers } = restoreRecord(letterWith({ a: [Buffer.from('1'), Buffer.from('2')], b: null }), 't')
    expect(headers).toMatchObject({ a: [Buffer.from('1'), Buffer.from('2')], b: [Buffer.alloc(0)] })
  })

  it('lets the key choose the partition in another topic, and where the original partition is gone', () => {
    expect(restoreRecord(letterWith(ours), 'other.v1')).not.toHaveProperty('partition')
    const treat = withinPartitions(treatByReplay({ maxReplays: 3, fromQuarantine: false }), new Map([['shop.v1', 3]]))
    const chosen = new Set([1, 2, 3].map(() => treat(letterWith(ours))).map((treatment) => JSON.stringify(treatment)))
    expect(chosen.size).toBe(1)
    expect(treat(letterWith(ours))).toMatchObject({ record: { topic: 'shop.v1', partition: expect.any(Number) } })
    expect((treat(letterWith(ours)) as { record: { partition: number } }).record.partition).toBeLessThan(3)
  })
})

describe('what is done with a dead letter', () => {
  const treat = treatByReplay({ maxReplays: 3, fromQuarantine: false })

  it('is a replay to where it came from, or to where it is told', () => {
    expect(treat(letterWith(ours))).toMatchObject({ action: 'replayed', record: { topic: 'shop.v1' } })
    const elsewhere = treatByReplay({ maxReplays: 3, fromQuarantine: false, to: 'x' })
    expect(elsewhere(letterWith({}))).toMatchObject({ action: 'replayed', record: { topic: 'x' } })
  })

  it('is nothing if nobody says where it came from', () => {
    expect(treat(letterWith({}))).toEqual({ kind: 'leave', why: 'no-origin' })
    expect(treat(letterWith({ 'kafka_dlt-original-topic': '' }))).toEqual({ kind: 'leave', why: 'no-origin' })
  })

  it.each([
    ['2', 'replayed', 'shop.v1'],
    ['3', 'quarantined', 'shop.v1.dlq.quarantine'],
    ['many', 'replayed', 'shop.v1'],
  ])('after %s replays is that it is %s', (count, action, topic) => {
    const letter = letterWith({ ...ours, 'dropbell-replay-count': count })
    expect(treat(letter)).toMatchObject({ action, record: { topic } })
  })

  it('keeps the headers of the failure and the partition in quarantine', () => {
    const treatment = treat(letterWith({ ...ours, 'dropbell-replay-count': '3' }))
    expect(treatment).toMatchObject({
      record: {
        partition: 1,
        headers: { 'kafka_dlt-original-topic': [Buffer.from('shop.v1')], 'dropbell-attempts': [Buffer.from('4')] },
      },
    })
  })

  it('is nothing with what is in quarantine and has been put back too often', () => {
    const inQuarantine = treatByReplay({ maxReplays: 3, fromQuarantine: true })
    expect(inQuarantine(letterWith({ ...ours, 'dropbell-replay-count': '3' }))).toEqual({
      kind: 'leave',
      why: 'past-max-replays',
    })
  })

  it('is no more than a mark when it is dismissed', () => {
    expect(treatByDismissal(letterWith(ours))).toEqual({ kind: 'mark', action: 'dismissed' })
  })
})
