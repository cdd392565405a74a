import { Cron } from 'croner'

export interface SweepSchedule {
  readonly cron: string
  readonly timezone: string
}

/** A sweep that was missed, because the process slept, is not made up for: it might be night by now. */
const lateMs = 60_000

/** Whether a time of the schedule came since the last look. Both are milliseconds since the epoch. */
export const createSweepSchedule = ({ cron, timezone }: SweepSchedule) => {
  const schedule = new Cron(cron, { timezone, paused: true })
  return (lastLookAt: number, now: number): boolean => {
    const next = schedule.nextRun(new Date(Math.max(lastLookAt, now - lateMs)))
    return next !== null && next.getTime() <= now
  }
}

/** What is wrong with it, if anything. */
export const sweepScheduleFault = ({ cron, timezone }: SweepSchedule): string | undefined => {
  try {
    new Cron(cron, { timezone, paused: true }).nextRun()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
