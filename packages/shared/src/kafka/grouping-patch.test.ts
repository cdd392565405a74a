import { createRequire } from 'node:module'
import { describe, expect, it, vi } from 'vitest'

type Message = { value: string }

/** Not part of the public API; `patches/` changes it. */
const groupMessagesPerPartition: (args: {
  topic: string
  partitionMetadata: object[]
  messages: Message[]
  partitioner(args: { message: Message }): number
}) => Record<number, Message[]> = createRequire(import.meta.url)('kafkajs/src/producer/groupMessagesPerPartition')

const group = (values: string[]) =>
  groupMessagesPerPartition({
    topic: 't',
    partitionMetadata: [{}, {}],
    messages: values.map((value) => ({ value })),
    partitioner: ({ message: { value } }) => (value.startsWith('a') ? 0 : 1),
  })

describe('how kafkajs groups what it sends', () => {
  it('keeps the order in each partition', () => {
    expect(group(['a1', 'b1', 'a2', 'b2', 'a3'])).toEqual({
      0: [{ value: 'a1' }, { value: 'a2' }, { value: 'a3' }],
      1: [{ value: 'b1' }, { value: 'b2' }],
    })
  })

  it('does not copy all that came before for every record', () => {
    const copies = vi.spyOn(Array.prototype, Symbol.iterator)
    group(['a1', 'a2', 'a3'])
    const count = copies.mock.calls.length
    copies.mockRestore()
    expect(count).toBe(0)
  })
})
