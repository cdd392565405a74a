import { describe, expect, it } from 'vitest'
import type { OutgoingRecord } from '../publisher.ts'
import { requestParts } from './request-parts.ts'

const record = (bytes: number): OutgoingRecord => ({ topic: 't', key: null, value: Buffer.alloc(bytes) })
const sizes = (records: OutgoingRecord[], bounds: { maxRecords: number; maxBytes: number }) =>
  [...requestParts(records, bounds)].map((part) => part.map(({ value }) => value?.length))

describe('requestParts', () => {
  it('keeps the order, and no more records together than allowed', () => {
    expect(sizes([1, 2, 3, 4, 5].map(record), { maxRecords: 2, maxBytes: 1_000 })).toEqual([[1, 2], [3, 4], [5]])
  })

  it('keeps no more bytes together than allowed, those of headers and keys included', () => {
    const bounds = { maxRecords: 100, maxBytes: 1_000 }
    expect(sizes([400, 400, 400].map(record), bounds)).toEqual([[400, 400], [400]])
    const heavy = { ...record(400), key: 'k'.repeat(100), headers: { h: ['v'.repeat(50), Buffer.alloc(50)] } }
    expect(sizes([record(400), heavy], bounds)).toEqual([[400], [400]])
  })

  it('sends a record that is too large alone, so that it fails alone', () => {
    expect(sizes([1, 5_000, 2].map(record), { maxRecords: 100, maxBytes: 1_000 })).toEqual([[1], [5_000], [2]])
  })

  it('has nothing to send for no records', () => {
    expect(sizes([], { maxRecords: 1, maxBytes: 1 })).toEqual([])
  })
})
