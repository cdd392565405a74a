import { describe, expect, it } from 'vitest'
import { committedOnly, type FetchedMessage } from './committed-only.ts'

const record = (offset: number, producerId = '-1'): FetchedMessage =>
  ({
    offset: String(offset),
    key: null,
    isControlRecord: false,
    batchContext: { producerId, inTransaction: producerId !== '-1' },
  }) as unknown as FetchedMessage

const marker = (offset: number, producerId: string, kind: 'abort' | 'commit'): FetchedMessage =>
  ({
    ...record(offset, producerId),
    key: Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]),
    isControlRecord: true,
  }) as FetchedMessage

const offsets = (messages: FetchedMessage[], aborted: [producerId: string, firstOffset: number][] = []): number[] => {
  const transactions = aborted.map(([producerId, first]) => ({ producerId, firstOffset: String(first) }))
  return committedOnly(messages, transactions).map(({ offset }) => Number(offset))
}

describe('what is committed', () => {
  it('is everything outside of transactions, and no marker', () => {
    expect(offsets([record(1), record(2, 'a'), marker(3, 'a', 'commit'), record(4)])).toEqual([1, 2, 4])
    expect(committedOnly([record(1)], null)).toHaveLength(1)
  })

  it('is nothing of an aborted transaction, and what its producer wrote after it', () => {
    const messages = [record(1, 'a'), record(2), marker(3, 'a', 'abort'), record(4, 'a'), marker(5, 'a', 'commit')]
    expect(offsets(messages, [['a', 1]])).toEqual([2, 4])
  })

  it('is nothing of two that overlap, in whatever order the broker lists them and wherever the fetch begins', () => {
    const messages = [record(10, 'b'), record(11, 'a'), marker(12, 'b', 'abort'), marker(13, 'a', 'abort'), record(14)]
    const a: [string, number] = ['a', 5]
    const b: [string, number] = ['b', 8]
    expect(offsets(messages, [a, b])).toEqual([14])
    expect(offsets(messages, [b, a])).toEqual([14])
  })
})
