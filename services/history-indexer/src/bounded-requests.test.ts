import { describe, expect, it } from 'vitest'
import { boundedRequests } from './bounded-requests.ts'

const entriesOf = (...lengths: number[]) =>
  lengths.map((length, position) => ({ index: 'i', id: String(position), version: 1, document: 'x'.repeat(length) }))

const idsOf = (...lengths: number[]) =>
  [...boundedRequests(entriesOf(...lengths), 10)].map((request) => request.map(({ id }) => Number(id)))

describe('the requests for many documents', () => {
  it('are one if they fit, and none for none', () => {
    expect(idsOf(5, 5)).toEqual([[0, 1]])
    expect(idsOf()).toEqual([])
  })

  it('keep the order, and each below the limit', () => {
    expect(idsOf(5, 5, 1, 9, 1)).toEqual([[0, 1], [2, 3], [4]])
  })

  it('leave one that is too long by itself alone', () => {
    expect(idsOf(1, 11, 1, 1)).toEqual([[0], [1], [2, 3]])
    expect(idsOf(11)).toEqual([[0]])
  })

  it('count bytes, not characters', () => {
    const entries = ['가가', '가가'].map((document, i) => ({ index: 'i', id: String(i), version: 1, document }))
    expect([...boundedRequests(entries, 10)]).toHaveLength(2)
  })
})
