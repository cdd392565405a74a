import { Cron } from 'croner'

export interface SweepSchedule {
  readonly cron: string
  readonly timezone: string
}

/** A sweep that was missed, because the process slept, is not made up for: it might be night by now. */
const lateMs = 60_000

/** The time of the schedule that came since the last look, if one did. All are milliseconds since the epoch. */
export const createSweepSchedule = ({ cron, timezone }: SweepSchedule) => {
  const schedule = new Cron(cron, { timezone, paused: true })
  return (lastLookAt: number, now: number): number | undefined => {
    const next = schedule.nextRun(new Date(Math.max(lastLookAt, now - lateMs)))?.getTime()
    return next !== undefined && next <= now ? next : undefined
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
