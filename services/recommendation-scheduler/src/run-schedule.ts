import { Cron } from 'croner'

/** A time of the schedule. All times are milliseconds since the epoch. */
export interface Due {
  /** YYYY-MM-DD, in the zone of the schedule: what makes two runs the same. */
  readonly day: string
  readonly at: number
  /** Until then a run that was missed, or did not come to its end, is made up for. */
  readonly catchUpUntil: number
}

export interface RunSchedule {
  /** The latest time that has come. */
  latest(now: number): Due | undefined
  /** The first time of a day; undefined where the schedule leaves it out. */
  ofDay(day: string): Due | undefined
  dayOf(time: number): string
}

export interface ScheduleOptions {
  readonly cron: string
  readonly zone: string
  /** HH:MM, or `off`. */
  readonly catchUpUntil: string
}

const secondMs = 1_000
/** No zone is further from UTC. */
const furthestZoneMs = 14 * 3_600_000

/**
 * Days and times are those of the zone, whatever its clocks do: a time that is skipped in spring comes when they have
 * been changed, and one that comes twice in autumn counts once.
 */
export const createRunSchedule = ({ cron, zone, catchUpUntil }: ScheduleOptions): RunSchedule => {
  const runs = openCron(cron, zone)
  const midnights = openCron('0 0 0 * * *', zone)
  const ends = catchUpUntil === 'off' ? undefined : openCron(dailyAt(catchUpUntil), zone)
  const dateFormat = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  })

  // Asked several times a second; the answer takes a millisecond to find and changes once a day.
  let known: { due: Due; until: number } | undefined

  const dayOf = (time: number): string => {
    const parts = new Map(dateFormat.formatToParts(time).map(({ type, value }) => [type, value]))
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
  }
  const dueAt = (at: number): Due => {
    return { day: dayOf(at), at, catchUpUntil: ends?.nextRun(new Date(at))?.getTime() ?? at }
  }

  return {
    dayOf,
    latest: (now) => {
      if (known !== undefined && known.due.at <= now && now < known.until) return known.due
      // What it is asked for lies strictly before the second it is given.
      const [last] = runs.previousRuns(1, new Date(now + secondMs))
      if (last === undefined) return undefined
      const until = runs.nextRun(last)?.getTime() ?? Number.POSITIVE_INFINITY
      known = { due: dueAt(last.getTime()), until }
      return known.due
    },
    ofDay: (day) => {
      const from = new Date(Date.parse(`${day}T00:00:00Z`) - furthestZoneMs - secondMs)
      const begin = midnights.nextRuns(2, from).find((midnight) => dayOf(midnight.getTime()) === day)
      const at = begin && runs.nextRun(new Date(begin.getTime() - secondMs))?.getTime()
      return at !== undefined && dayOf(at) === day ? dueAt(at) : undefined
    },
  }
}

const openCron = (pattern: string, timezone: string): Cron => new Cron(pattern, { timezone, paused: true })

const dailyAt = (time: string): string => {
  const [hours, minutes] = time.split(':').map(Number)
  return `0 ${minutes} ${hours} * * *`
}

/** What is wrong with it, if anything. */
export const scheduleFault = (cron: string, zone: string): string | undefined => {
  try {
    return openCron(cron, zone).nextRun() === null ? 'it never comes' : undefined
  } catch (error) {
    return (error as Error).message
  }
}
