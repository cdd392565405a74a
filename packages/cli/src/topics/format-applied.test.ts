import { expect, it } from 'vitest'
import type { AppliedTopics } from './apply-topics.ts'
import { formatApplied } from './format-applied.ts'

const plain = (_: unknown, text: string): string => text

const format = (applied: Partial<AppliedTopics>): string =>
  formatApplied({ ok: true, dryRun: false, brokers: 1, topics: [], ...applied }, plain)

it('says what was created and what was there', () => {
  const text = format({
    topics: [
      { topic: 'orders.v1', state: 'created', drift: [] },
      { topic: 'orders.v1.dlq', state: 'in-place', drift: [] },
    ],
  })
  expect(text).toBe(`TOPIC          STATE
orders.v1      created
orders.v1.dlq  in place

1 created, 1 in place.`)
})

it('shows a drift with both values, retention also in days', () => {
  const drift = [{ setting: 'retention.ms', declared: '604800000', actual: '3600000' }]
  const text = format({ topics: [{ topic: 'orders.v1', state: 'drifted', drift }] })
  expect(text).toContain('retention.ms is 3600000 (1 h), declared 604800000 (7 d)')
  expect(text).toContain('1 drifted, left alone.')
})

it('speaks of the future in a dry run', () => {
  const text = format({ dryRun: true, topics: [{ topic: 'orders.v1', state: 'missing', drift: [] }] })
  expect(text).toContain('would be created')
  expect(text).toContain('1 to be created.')
})

it('says once what is wrong with several topics', () => {
  const drift = [{ setting: 'replication.factor', declared: '3', actual: '1' }]
  const topics = ['orders.v1', 'orders.v1.dlq'].map((topic) => ({ topic, state: 'drifted' as const, drift }))
  const text = format({ topics })
  expect(text).toContain('orders.v1, orders.v1.dlq\n  replication.factor is 1, declared 3')
  expect(text.split('replication.factor is')).toHaveLength(2)
})
