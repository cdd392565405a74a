import { describe, expect, it } from 'vitest'
import { lagOf } from './consumer-lag.ts'

const ends = [
  { partition: 0, low: '0', high: '100' },
  { partition: 1, low: '40', high: '50' },
]

describe('lagOf', () => {
  it('adds up what is not committed yet', () => {
    expect(
      lagOf(
        [
          { partition: 0, offset: '90' },
          { partition: 1, offset: '50' },
        ],
        ends,
      ),
    ).toBe(10)
  })

  it('counts a partition without an offset from its beginning, if the group has any', () => {
    expect(
      lagOf(
        [
          { partition: 0, offset: '100' },
          { partition: 1, offset: '-1' },
        ],
        ends,
      ),
    ).toBe(10)
    expect(lagOf([{ partition: 0, offset: '100' }], ends)).toBe(10)
  })

  it('does not wait for a group that never committed anything', () => {
    expect(
      lagOf(
        [
          { partition: 0, offset: '-1' },
          { partition: 1, offset: '-1' },
        ],
        ends,
      ),
    ).toBe(0)
    expect(lagOf([], ends)).toBe(0)
  })

  it('does not count what was deleted unread, nor an offset beyond the end', () => {
    expect(
      lagOf(
        [
          { partition: 0, offset: '100' },
          { partition: 1, offset: '10' },
        ],
        ends,
      ),
    ).toBe(10)
    expect(
      lagOf(
        [
          { partition: 0, offset: '200' },
          { partition: 1, offset: '50' },
        ],
        ends,
      ),
    ).toBe(0)
  })
})
