import { describe, expect, it } from 'vitest'
import { rangesOf } from './selection.ts'

const extent = [
  { partition: 0, from: 5, until: 10, end: 12 },
  { partition: 1, from: 0, until: 3, end: 3 },
]
const reader = {
  offsetsAt: async () =>
    new Map([
      [0, 8],
      [1, 3],
    ]),
}
const ranges = (selection: Parameters<typeof rangesOf>[3]) => rangesOf(reader, 't.dlq', extent, selection)

describe('what is looked at', () => {
  it('is all that is there', async () => {
    expect(await ranges({})).toEqual([
      { partition: 0, from: 5, until: 10 },
      { partition: 1, from: 0, until: 3 },
    ])
  })

  it('begins where the time begins', async () => {
    expect(await ranges({ since: 1 })).toEqual([
      { partition: 0, from: 8, until: 10 },
      { partition: 1, from: 3, until: 3 },
    ])
  })

  it('is only the partitions and places that are meant, each once, if they are still there', async () => {
    expect(await ranges({ partitions: [1] })).toHaveLength(1)
    const places = [
      { partition: 0, offset: 9 },
      { partition: 0, offset: 6 },
      { partition: 0, offset: 6 },
      { partition: 0, offset: 4 },
      { partition: 7, offset: 1 },
    ]
    expect(await ranges({ places })).toEqual([
      { partition: 0, from: 6, until: 7 },
      { partition: 0, from: 9, until: 10 },
    ])
  })
})
