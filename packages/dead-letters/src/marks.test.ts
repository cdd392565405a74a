import { describe, expect, it } from 'vitest'
import { decodeMark, encodeMark, type Mark, markKey, parseMarkKey } from './mark.ts'
import { createMarks } from './marks.ts'

const mark: Mark = {
  version: 1,
  action: 'replayed',
  by: 'ann',
  at: '2026-11-18T09:00:00Z',
  run: 'r',
  target: 't',
  timestamp: 5,
}

describe('a mark', () => {
  it('is for a place and for the record that had this time', () => {
    const marks = createMarks()
    marks.set(1, 7, mark)
    expect(marks.of({ partition: 1, offset: 7, timestamp: 5 })).toMatchObject({ action: 'replayed', by: 'ann' })
    expect(marks.of({ partition: 1, offset: 7, timestamp: 6 })).toBeUndefined()
    expect(marks.of({ partition: 0, offset: 7, timestamp: 5 })).toBeUndefined()
  })

  it('gives way to a later one', () => {
    const marks = createMarks()
    marks.set(1, 7, mark)
    marks.set(1, 7, { ...mark, action: 'dismissed', run: 's' })
    expect(marks.of({ partition: 1, offset: 7, timestamp: 5 })?.action).toBe('dismissed')
    expect(marks.size()).toBe(1)
  })

  it('comes back from its bytes as it was', () => {
    expect(decodeMark(encodeMark(mark))).toEqual(mark)
    const place = { topic: 'shop.v1.dlq', partition: 3, offset: 17 }
    expect(parseMarkKey(markKey(place))).toEqual(place)
  })

  it.each(['', 'no JSON', '{}', JSON.stringify({ ...mark, version: 2 }), JSON.stringify({ ...mark, action: 'eaten' })])(
    'is not made of %j',
    (text) => {
      expect(decodeMark(Buffer.from(text))).toBeUndefined()
    },
  )

  it.each(['run/1', 'a/b/c', 'a/1', ''])('has no place in %j', (key) => {
    expect(parseMarkKey(key)).toBeUndefined()
  })
})
