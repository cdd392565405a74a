import { describe, expect, it, vi } from 'vitest'
import { createLocalDateAt } from './local-date.ts'

const setUp = (maxZones?: number) => {
  const onUnknownZone = vi.fn()
  const localDateAt = createLocalDateAt({ onUnknownZone, ...(maxZones !== undefined && { maxZones }) })
  return { onUnknownZone, on: (moment: string, zone: string) => localDateAt(Date.parse(moment), zone) }
}

describe('the local date', () => {
  it.each([
    ['Asia/Seoul', '2026-01-15T14:59:59.999Z', '2026-01-15'],
    ['Asia/Seoul', '2026-01-15T15:00:00.000Z', '2026-01-16'],
    ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
    ['UTC', '2027-01-01T00:00:00.000Z', '2027-01-01'],
    ['Pacific/Kiritimati', '2026-01-15T10:00:00.000Z', '2026-01-16'],
    ['America/New_York', '2026-01-15T04:59:59.999Z', '2026-01-14'],
    ['America/New_York', '2026-01-15T05:00:00.000Z', '2026-01-15'],
  ])('changes at midnight of %s (%s)', (zone, moment, date) => {
    expect(setUp().on(moment, zone)).toBe(date)
  })

  it.each([
    // Clocks go forward on 8 March 2026 at 2:00: that day begins at UTC-5 and ends at UTC-4, after 23 hours.
    ['2026-03-08T04:59:59.999Z', '2026-03-07'],
    ['2026-03-08T05:00:00.000Z', '2026-03-08'],
    ['2026-03-09T03:59:59.999Z', '2026-03-08'],
    ['2026-03-09T04:00:00.000Z', '2026-03-09'],
    // Back on 1 November 2026 at 2:00: 25 hours.
    ['2026-11-01T03:59:59.999Z', '2026-10-31'],
    ['2026-11-01T04:00:00.000Z', '2026-11-01'],
    ['2026-11-02T04:59:59.999Z', '2026-11-01'],
    ['2026-11-02T05:00:00.000Z', '2026-11-02'],
  ])('follows daylight saving time in New York: %s is in %s', (moment, date) => {
    expect(setUp().on(moment, 'America/New_York')).toBe(date)
  })

  it.each(['Mars/Olympus', '', 'KST+9', 'Asia/Seoul; DROP'])('is that of Seoul in the unknown zone %j', (zone) => {
    const { on, onUnknownZone } = setUp()
    expect(on('2026-01-15T15:00:00Z', zone)).toBe('2026-01-16')
    on('2026-01-15T15:00:00Z', zone)
    expect(onUnknownZone.mock.calls).toEqual([
      [zone, true],
      [zone, false],
    ])
  })

  it('stays right when more zones come along than it remembers', () => {
    const { on, onUnknownZone } = setUp(2)
    for (const zone of ['UTC', 'Asia/Seoul', 'nowhere', 'America/New_York', 'UTC']) on('2026-01-15T15:00:00Z', zone)
    expect(on('2026-01-15T15:00:00Z', 'UTC')).toBe('2026-01-15')
    on('2026-01-15T15:00:00Z', 'elsewhere')
    on('2026-01-15T15:00:00Z', 'Asia/Tokyo')
    on('2026-01-15T15:00:00Z', 'Asia/Seoul')
    on('2026-01-15T15:00:00Z', 'nowhere')
    expect(onUnknownZone.mock.calls.filter(([zone]) => zone === 'nowhere')).toEqual([
      ['nowhere', true],
      ['nowhere', true],
    ])
  })
})
