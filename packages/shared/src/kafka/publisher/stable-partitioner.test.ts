import { describe, expect, it } from 'vitest'
import { createStablePartitioner } from './stable-partitioner.ts'

const partitionMetadata = [0, 1, 2, 3, 4, 5].map((partitionId) => ({
  partitionId,
  leader: 1,
  partitionErrorCode: 0,
  replicas: [1],
  isr: [1],
}))

describe('the stable partitioner', () => {
  it('stays with its choice for a message without key, however often it is asked', () => {
    const { create, partitionOf } = createStablePartitioner()
    const choose = create()
    const message = { key: null, value: 'v' }
    const partition = choose({ topic: 't', partitionMetadata, message })
    for (let retry = 0; retry < 10; retry++) expect(choose({ topic: 't', partitionMetadata, message })).toBe(partition)
    expect(partitionOf(message)).toBe(partition)
  })

  it('spreads messages without key over all partitions', () => {
    const choose = createStablePartitioner().create()
    const chosen = Array.from({ length: 6 }, () => choose({ topic: 't', partitionMetadata, message: { value: 'v' } }))
    expect(new Set(chosen).size).toBe(6)
  })

  it('takes the partition that a message asks for', () => {
    const choose = createStablePartitioner().create()
    expect(choose({ topic: 't', partitionMetadata, message: { key: 'k', value: 'v', partition: 4 } })).toBe(4)
  })
})
