import { defaultRecipient } from '@dropbell/database/read-recipients'
import { describe, expect, it } from 'vitest'
import { quietUntil, spreadOf } from './quiet-hours.ts'

const recipient = (timezone: string, start = '22:00:00', end = '08:00:00') => ({
  ...defaultRecipient,
  timezone,
  quietHours: { start, end },
})

const until = (timezone: string, now: string, hours: [start?: string, end?: string] = []) => {
  const end = quietUntil(recipient(timezone, ...hours), Date.parse(now))
  return end === undefined ? undefined : new Date(end).toISOString()
}

describe('quiet hours', () => {
  it.each([
    ['2026-11-18T22:30:00+09:00', '2026-11-18T23:00:00.000Z'],
    ['2026-11-19T00:00:00+09:00', '2026-11-18T23:00:00.000Z'],
    ['2026-11-18T22:00:00+09:00', '2026-11-18T23:00:00.000Z'],
    ['2026-11-19T07:59:59+09:00', '2026-11-18T23:00:00.000Z'],
    ['2026-11-19T08:00:00+09:00', undefined],
    ['2026-11-18T21:59:59+09:00', undefined],
  ])('across midnight in Seoul, at %s, end at %s', (now, end) => {
    expect(until('Asia/Seoul', now)).toBe(end)
  })

  it('within a day end on that day', () => {
    expect(until('Asia/Seoul', '2026-11-18T13:30:00+09:00', ['13:00:00', '14:00:00'])).toBe('2026-11-18T05:00:00.000Z')
    expect(until('Asia/Seoul', '2026-11-18T14:00:00+09:00', ['13:00:00', '14:00:00'])).toBeUndefined()
  })

  it('end at midnight, whichever way that is written', () => {
    for (const midnight of ['00:00:00', '24:00:00']) {
      const hours: [string, string] = ['22:00:00', midnight]
      expect(until('Asia/Seoul', '2026-11-18T23:00:00+09:00', hours)).toBe('2026-11-18T15:00:00.000Z')
      expect(until('Asia/Seoul', '2026-11-19T00:00:00+09:00', hours)).toBeUndefined()
    }
  })

  it('that end when they begin are none, and nobody has any by default', () => {
    expect(until('Asia/Seoul', '2026-11-18T13:30:00+09:00', ['13:00:00', '13:00:00'])).toBeUndefined()
    expect(quietUntil(defaultRecipient, 0)).toBeUndefined()
  })

  it.each([
    ['spring', '2026-03-07T23:00:00-05:00', '2026-03-08T12:00:00.000Z'],
    ['autumn', '2026-10-31T23:00:00-04:00', '2026-11-01T13:00:00.000Z'],
  ])('end at eight by the wall clock of New York in a night of %s', (_, now, end) => {
    expect(until('America/New_York', now)).toBe(end)
  })

  it('that end at a time which the night skips end after the gap', () => {
    expect(until('America/New_York', '2026-03-08T01:00:00-05:00', ['22:00:00', '02:30:00'])).toBe(
      '2026-03-08T07:30:00.000Z',
    )
  })

  it('that end at a time which the night has twice end the second time, and begin no third', () => {
    const hours: [string, string] = ['22:00:00', '01:30:00']
    const end = '2026-11-01T06:30:00.000Z'
    expect(until('America/New_York', '2026-11-01T01:00:00-04:00', hours)).toBe(end)
    expect(until('America/New_York', '2026-11-01T01:10:00-05:00', hours)).toBe(end)
    expect(until('America/New_York', end, hours)).toBeUndefined()
  })

  it('of a user in a zone that does not exist are those of the default zone', () => {
    expect(until('Mars/Olympus', '2026-11-18T22:30:00+09:00')).toBe('2026-11-18T23:00:00.000Z')
  })
})

describe('the end of quiet hours', () => {
  it('is spread over users, and the same for all that a user waits for', () => {
    const delays = Array.from({ length: 1_000 }, (_, n) => spreadOf(`user-${n}`, 900_000))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThan(900_000)
    const perMinute = Array.from({ length: 15 }, (_, minute) =>
      delays.filter((ms) => Math.floor(ms / 60_000) === minute),
    )
    expect(Math.max(...perMinute.map(({ length }) => length))).toBeLessThan(150)
    expect(spreadOf('user-1', 900_000)).toBe(spreadOf('user-1', 900_000))
    expect(spreadOf('user-1', 0)).toBe(0)
  })
})
