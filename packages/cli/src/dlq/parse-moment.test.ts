import { expect, it } from 'vitest'
import { parseMoment } from './parse-moment.ts'

const now = Date.parse('2026-11-18T12:00:00Z')

it.each([
  ['30s', '2026-11-18T11:59:30.000Z'],
  ['15m', '2026-11-18T11:45:00.000Z'],
  ['2h', '2026-11-18T10:00:00.000Z'],
  ['7d', '2026-11-11T12:00:00.000Z'],
  ['2026-11-18T09:00:00Z', '2026-11-18T09:00:00.000Z'],
  ['2026-11-18T09:00:00+09:00', '2026-11-18T00:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(parseMoment(text, now) ?? Number.NaN).toISOString()).toBe(expected)
})

it.each(['', 'yesterday', '2 h', '5', '2026', '2026-13-40'])('%j is none', (text) => {
  expect(parseMoment(text, now)).toBeUndefined()
})
