import { createHash } from 'node:crypto'
import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import { Temporal } from 'temporal-polyfill'

/**
 * When the quiet hours end that a user is in now, in milliseconds since the epoch; undefined outside of them. What counts
 * is the clock on the user's wall: a night in which it is put forward or back has the same quiet hours, only fewer or more
 * of them. Hours that end when they begin are none. A zone that does not exist is taken for the default.
 */
export const quietUntil = ({ quietHours, timezone }: Recipient, now: number): number | undefined => {
  if (quietHours === null) return undefined
  const local = toLocal(now, timezone)
  const start = timeOf(quietHours.start)
  const end = timeOf(quietHours.end)
  const time = local.toPlainTime()
  if (!isWithin(time, start, end)) return undefined
  const endsToday = Temporal.PlainTime.compare(time, end) < 0
  const date = endsToday ? local.toPlainDate() : local.toPlainDate().add({ days: 1 })
  // A time that the wall clock shows twice that night is meant the second time; one that it skips comes after the gap.
  const until = date.toPlainDateTime(end).toZonedDateTime(local.timeZoneId, { disambiguation: 'later' })
  return until.epochMilliseconds
}

/** Postgres has a 24:00, which is the midnight of the next day. */
const timeOf = (time: string): Temporal.PlainTime => Temporal.PlainTime.from(time.startsWith('24') ? '00:00' : time)

const toLocal = (now: number, timezone: string): Temporal.ZonedDateTime => {
  const instant = Temporal.Instant.fromEpochMilliseconds(now)
  try {
    return instant.toZonedDateTimeISO(timezone)
  } catch (error) {
    if (error instanceof RangeError) return instant.toZonedDateTimeISO(defaultRecipient.timezone)
    throw error
  }
}

const isWithin = (time: Temporal.PlainTime, start: Temporal.PlainTime, end: Temporal.PlainTime): boolean => {
  const { compare } = Temporal.PlainTime
  const hasBegun = compare(start, time) <= 0
  const isBeforeEnd = compare(time, end) < 0
  return compare(start, end) <= 0 ? hasBegun && isBeforeEnd : hasBegun || isBeforeEnd
}

/**
 * How long after the end of their quiet hours a user is told, below `withinMs`: all who wait for 08:00 do not come at
 * 08:00. The same for all that a user waits for, so that it comes together.
 */
export const spreadOf = (userId: string, withinMs: number): number => {
  const fraction = createHash('sha1').update(userId).digest().readUInt32BE(0) / 2 ** 32
  return Math.floor(fraction * withinMs)
}
