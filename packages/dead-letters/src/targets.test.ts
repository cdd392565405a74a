import { dlqStateTopic } from '@dropbell/schemas/topics'
import { describe, expect, it } from 'vitest'
import { readTargets, type TargetRules, withinPartitions } from './targets.ts'

const reader = { extentOf: async () => [{ partition: 0, from: 0, until: 0, end: 0 }] }
const read = (topic: string, rules?: TargetRules) => readTargets(reader, [topic], rules)
const refused = { code: 'DLQ_TARGET_REFUSED' }

describe('the topic that a header names', () => {
  it.each([
    '__consumer_offsets',
    dlqStateTopic.name,
    '_schemas',
    'shop.v1.dlq',
    'shop.v1.dlq.quarantine',
    'x.quarantine',
  ])('is refused if it is %s', async (topic) => {
    await expect(read(topic)).rejects.toMatchObject(refused)
  })

  it('is refused by the suffix of this installation too', async () => {
    await expect(read('orders-dlt', { dlqSuffix: '-dlt' })).rejects.toMatchObject(refused)
    expect(await read('orders-dlt')).toEqual(new Map([['orders-dlt', 1]]))
  })

  it('is not repeated if it can be no topic', async () => {
    const failure = await read('shop\u001b[2J').catch((error) => error)
    expect(failure).toMatchObject(refused)
    expect(failure.message).not.toContain('\u001b')
  })

  it('is refused if nobody looked at it before', () => {
    const treat = withinPartitions(
      () => ({ kind: 'write', action: 'replayed', record: { topic: 'elsewhere', key: null, value: null } }),
      new Map([['shop.v1', 1]]),
    )
    expect(() => treat({} as never)).toThrow('elsewhere')
  })
})

describe('the topic that an operator names', () => {
  it.each(['_schemas', 'shop.v1.dlq', 'x.quarantine'])('may be %s', async (to) => {
    expect(await read(to, { to })).toEqual(new Map([[to, 1]]))
  })

  it.each(['__consumer_offsets', dlqStateTopic.name])('is refused if it is %s', async (to) => {
    await expect(read(to, { to })).rejects.toMatchObject(refused)
  })
})
