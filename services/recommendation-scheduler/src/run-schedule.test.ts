import { describe, expect, it } from 'vitest'
import { createRunSchedule, type ScheduleOptions, scheduleFault } from './run-schedule.ts'

const open = (said: Partial<ScheduleOptions> = {}) =>
  createRunSchedule({ cron: '0 0 9 * * *', zone: 'Asia/Seoul', catchUpUntil: '12:00', ...said })
const at = (text: string): number => Date.parse(text)

describe('the schedule', () => {
  it('is due from the very millisecond, with the day of its zone', () => {
    const { latest } = open()
    expect(latest(at('2026-11-18T23:59:59.999Z'))?.day).toBe('2026-11-18')
    expect(latest(at('2026-11-19T00:00:00.000Z'))).toEqual({
      day: '2026-11-19',
      at: at('2026-11-19T00:00:00Z'),
      catchUpUntil: at('2026-11-19T03:00:00Z'),
    })
    expect(latest(at('2026-11-19T23:00:00Z'))?.day).toBe('2026-11-19')
  })

  it('knows the time of a day, in zones on both sides of the date line', () => {
    expect(open().ofDay('2026-11-19')?.at).toBe(at('2026-11-19T00:00:00Z'))
    expect(open({ zone: 'Pacific/Pago_Pago' }).ofDay('2026-11-19')?.at).toBe(at('2026-11-19T20:00:00Z'))
    expect(open({ zone: 'Pacific/Kiritimati' }).ofDay('2026-11-19')?.at).toBe(at('2026-11-18T19:00:00Z'))
  })

  it('says so of a day it leaves out', () => {
    const { ofDay } = open({ cron: '0 0 9 * * 1' })
    expect(ofDay('2026-11-16')?.day).toBe('2026-11-16')
    expect(ofDay('2026-11-17')).toBeUndefined()
  })

  it('may end its catch-up on the next day, or have none', () => {
    const late = open({ cron: '0 0 23 * * *', catchUpUntil: '01:30' }).ofDay('2026-11-19')
    expect(late?.catchUpUntil).toBe(at('2026-11-19T16:30:00Z'))
    const { latest } = open({ catchUpUntil: 'off' })
    const due = latest(at('2026-11-19T05:00:00Z'))
    expect(due?.catchUpUntil).toBe(due?.at)
  })
})

describe('where clocks are changed', () => {
  const timesOf = (cron: string, days: string[], zone = 'America/New_York') => {
    const { latest, ofDay } = open({ cron, zone })
    return days.map((day) => {
      const due = ofDay(day)
      // Looked at every minute of two days, there is one time for the day, and the same as when it is asked for.
      const seen = new Set<number>()
      for (let now = at(`${day}T00:00:00Z`); now < at(`${day}T00:00:00Z`) + 2 * 86_400_000; now += 60_000) {
        const found = latest(now)
        if (found?.day === day) seen.add(found.at)
      }
      expect([...seen]).toEqual([due?.at])
      return new Date(due?.at ?? 0).toISOString()
    })
  }

  it('a time that is skipped in spring comes once, an hour later by the sun', () => {
    expect(timesOf('0 30 2 * * *', ['2026-03-07', '2026-03-08', '2026-03-09'])).toEqual([
      '2026-03-07T07:30:00.000Z',
      '2026-03-08T07:30:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ])
  })

  it('a time that comes twice in autumn counts once', () => {
    expect(timesOf('0 30 1 * * *', ['2026-10-31', '2026-11-01', '2026-11-02'])).toEqual([
      '2026-10-31T05:30:00.000Z',
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ])
  })

  it('nine o’clock stays nine o’clock', () => {
    expect(timesOf('0 0 9 * * *', ['2026-03-28', '2026-03-29', '2026-10-25'], 'Europe/Berlin')).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-10-25T08:00:00.000Z',
    ])
  })
})

describe('scheduleFault', () => {
  it('says what is wrong with a schedule or its zone', () => {
    expect(scheduleFault('0 0 9 * * *', 'Asia/Seoul')).toBeUndefined()
    expect(scheduleFault('0 0 25 * * *', 'Asia/Seoul')).toBeDefined()
    expect(scheduleFault('0 0 9 * * *', 'Asia/Atlantis')).toBeDefined()
    expect(scheduleFault('0 0 9 30 2 *', 'Asia/Seoul')).toBeDefined()
  })
})
