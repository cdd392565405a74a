import { expect, it } from 'vitest'
import { formatListed } from './format-listed.ts'
import type { ListedTopic } from './list-topics.ts'

const plain = (_: unknown, text: string): string => text
const declared = { partitions: 6, replicationFactor: 3, retentionMs: 604_800_000 }

const listed = (topic: Partial<ListedTopic>): ListedTopic => ({
  topic: 'orders.v1',
  state: 'in-place',
  declared,
  actual: { ...declared, records: 42 },
  drift: [],
  ...topic,
})

it('shows what a topic is and how much it holds', () => {
  const [, row] = formatListed([listed({})], plain).split('\n')
  expect(row).toMatch(/^orders\.v1 +6 +3 +7 d +42 +in place$/)
})

it('shows of a missing topic what it is going to be, and how to create it', () => {
  const text = formatListed([listed({ state: 'missing', actual: null })], plain)
  expect(text).toMatch(/orders\.v1 +6 +3 +7 d +- +missing/)
  expect(text).toContain('dropbell topics apply')
})

it('shows a drifted topic as it is, with what was declared', () => {
  const drift = [{ setting: 'partitions', declared: '6', actual: '3' }]
  const text = formatListed(
    [listed({ state: 'drifted', actual: { ...declared, partitions: 3, records: 0 }, drift })],
    plain,
  )
  expect(text).toMatch(/orders\.v1 +3 +3 +7 d +0 +drifted: partitions declared 6/)
})
