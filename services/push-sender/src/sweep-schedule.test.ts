import { describe, expect, it } from 'vitest'
import { createSweepSchedule, sweepScheduleFault } from './sweep-schedule.ts'

const isDue = createSweepSchedule({ cron: '*/5 9-21 * * *', timezone: 'Asia/Seoul' })
/** Asia/Seoul is nine hours ahead of UTC. */
const seoul = (hour: number, minute: number, second = 0) => Date.UTC(2026, 0, 15, hour - 9, minute, second)

describe('the schedule of the recovery sweep', () => {
  it('is due once every five minutes by day', () => {
    expect(isDue(seoul(12, 4, 59), seoul(12, 5))).toBe(true)
    expect(isDue(seoul(12, 5), seoul(12, 5, 1))).toBe(false)
    expect(isDue(seoul(8, 59, 59), seoul(9, 0))).toBe(true)
    expect(isDue(seoul(21, 54, 59), seoul(21, 55))).toBe(true)
  })

  it('is not due at night', () => {
    expect(isDue(seoul(22, 59, 59), seoul(23, 0))).toBe(false)
    expect(isDue(seoul(8, 54, 59), seoul(8, 55))).toBe(false)
  })

  it('does not make up at night for what a process slept through by day', () => {
    expect(isDue(seoul(21, 0), seoul(23, 0))).toBe(false)
  })

  it('says what is wrong with a schedule', () => {
    expect(sweepScheduleFault({ cron: '*/5 9-21 * * *', timezone: 'Asia/Seoul' })).toBeUndefined()
    expect(sweepScheduleFault({ cron: 'often', timezone: 'Asia/Seoul' })).toEqual(expect.any(String))
    expect(sweepScheduleFault({ cron: '* * * * *', timezone: 'Asia/Nowhere' })).toEqual(expect.any(String))
  })
})
