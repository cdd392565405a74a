/** ISO 8601 with the offset of the zone, such as 2026-01-15T12:00:00.000+09:00. */
export const createMomentFormat = (timeZone: string | undefined): ((ms: number) => string) => {
  const formatter = new Intl.DateTimeFormat('en-US', {
    ...(timeZone !== undefined && { timeZone }),
    ...{ calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', timeZoneName: 'longOffset' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    fractionalSecondDigits: 3,
  })
  return (ms) => {
    if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return '-'
    const parts = new Map(formatter.formatToParts(ms).map(({ type, value }) => [type, value]))
    const date = `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
    const time = `${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}.${parts.get('fractionalSecond')}`
    return `${date}T${time}${parts.get('timeZoneName')?.slice('GMT'.length) || '+00:00'}`
  }
}

/** A zone that does not exist is the operator's own. */
export const momentFormatOf = (timeZone: string | undefined): ((ms: number) => string) => {
  try {
    return createMomentFormat(timeZone)
  } catch (error) {
    if (error instanceof RangeError) return createMomentFormat(undefined)
    throw error
  }
}
