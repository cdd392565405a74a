import { describe, expect, it } from 'vitest'
import { createSweepSchedule, sweepScheduleFault } from './sweep-schedule.ts'

const dueAt = createSweepSchedule({ cron: '*/5 9-21 * * *', timezone: 'Asia/Seoul' })
/** Asia/Seoul is nine hours ahead of UTC. */
const seoul = (hour: number, minute: number, second = 0) => Date.UTC(2026, 0, 15, hour - 9, minute, second)

describe('the schedule of the recovery sweep', () => {
  it('is due once every five minutes by day', () => {
    expect(dueAt(seoul(12, 4, 59), seoul(12, 5))).toBe(seoul(12, 5))
    expect(dueAt(seoul(12, 5), seoul(12, 5, 1))).toBeUndefined()
    expect(dueAt(seoul(8, 59, 59), seoul(9, 0))).toBe(seoul(9, 0))
    expect(dueAt(seoul(21, 54, 59), seoul(21, 55))).toBe(seoul(21, 55))
  })

  it('is not due at night', () => {
    expect(dueAt(seoul(22, 59, 59), seoul(23, 0))).toBeUndefined()
    expect(dueAt(seoul(8, 54, 59), seoul(8, 55))).toBeUndefined()
  })

  it('does not make up at night for what a process slept through by day', () => {
    expect(dueAt(seoul(21, 0), seoul(23, 0))).toBeUndefined()
  })

  it('says what is wrong with a schedule', () => {
    expect(sweepScheduleFault({ cron: '*/5 9-21 * * *', timezone: 'Asia/Seoul' })).toBeUndefined()
    expect(sweepScheduleFault({ cron: 'often', timezone: 'Asia/Seoul' })).toEqual(expect.any(String))
    expect(sweepScheduleFault({ cron: '* * * * *', timezone: 'Asia/Nowhere' })).toEqual(expect.any(String))
  })
})
