import type { PartitionExtent, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { describe, expect, it } from 'vitest'
import { createScan, newestOf, partitionOf } from './scan-topic.ts'

describe('the newest of some ranges', () => {
  const ranges = [
    { partition: 0, from: 0, until: 900 },
    { partition: 1, from: 50, until: 150 },
    { partition: 2, from: 7, until: 7 },
  ]

  it('are all of them where they fit', () => {
    expect(newestOf(ranges, 1_000)).toEqual(ranges)
  })

  it('are the same share of each, and no more than may be read', () => {
    expect(newestOf(ranges, 100)).toEqual([
      { partition: 0, from: 810, until: 900 },
      { partition: 1, from: 140, until: 150 },
      { partition: 2, from: 7, until: 7 },
    ])
  })
})

it('finds the partition of a key as the default partitioner does', () => {
  // By murmur2, as in Kafka's own tests of it: -973932308 & 0x7fffffff = 1173551340.
  expect(partitionOf('any', '21', 7)).toBe(1_173_551_340 % 7)
})

describe('a scan', () => {
  const extent: PartitionExtent[] = [0, 1].map((partition) => ({ partition, from: 0, until: 10, end: 10 }))
  const reads: unknown[] = []
  const reader: TopicReader = {
    extentOf: async (topic) => {
      if (topic === 'missing') throw Object.assign(new Error('no'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' })
      return extent
    },
    offsetsAt: async () => new Map([[0, 4]]),
    read: async function* (_, ranges) {
      reads.push(ranges)
      yield* []
    },
    close: async () => {},
  }

  it('begins at the time asked for and says whether a part was left out', async () => {
    const scan = createScan(reader)
    expect(await scan({ topic: 'some', since: 5, mostRecords: 16 }, () => {})).toEqual({ since: 5, cut: false })
    expect(reads.pop()).toMatchObject([{ from: 4, until: 10 }, { from: 0 }])
    expect(await scan({ topic: 'some', since: 5, mostRecords: 8 }, () => {})).toEqual({ since: 5, cut: true })
    expect(reads.pop()).toMatchObject([{ from: 7 }, { from: 5 }])
  })

  it('finds nothing in a topic that does not exist', async () => {
    expect(await createScan(reader)({ topic: 'missing', since: 5, mostRecords: 1 }, () => {})).toMatchObject({
      cut: false,
    })
  })
})
