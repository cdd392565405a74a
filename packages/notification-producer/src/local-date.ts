import { defaultRecipient } from '@dropbell/database/read-recipients'

/** YYYY-MM-DD. */
export type LocalDate = string

export interface LocalDateOptions {
  /** Called for every use of a zone that does not exist; `firstTime` when it was not seen lately. */
  onUnknownZone(zone: string, firstTime: boolean): void
  /** A formatter is some 10 KB, and a zone can be spelled in many ways. */
  maxZones?: number
}

/** The date in a zone at a moment. A zone that does not exist is taken for the default: the limit must hold there too. */
export type LocalDateAt = (now: number, zone: string) => LocalDate

export const createLocalDateAt = ({ onUnknownZone, maxZones = 600 }: LocalDateOptions): LocalDateAt => {
  const formatters = new Map<string, Intl.DateTimeFormat | undefined>()
  const fallback = dateFormatter(defaultRecipient.timezone)
  // Of one moment: a page of thousands of users asks for the same few zones at the same time.
  const dates = { at: Number.NaN, byFormatter: new Map<Intl.DateTimeFormat, LocalDate>() }

  const dateBy = (formatter: Intl.DateTimeFormat, now: number): LocalDate => {
    if (dates.at !== now) {
      dates.at = now
      dates.byFormatter.clear()
    }
    const date = dates.byFormatter.get(formatter) ?? format(formatter, now)
    dates.byFormatter.set(formatter, date)
    return date
  }

  const remember = (zone: string): Intl.DateTimeFormat | undefined => {
    const formatter = tryFormatter(zone)
    const oldest = formatters.keys().next()
    if (formatters.size >= maxZones && !oldest.done) formatters.delete(oldest.value)
    formatters.set(zone, formatter)
    return formatter
  }

  return (now, zone) => {
    const isNew = !formatters.has(zone)
    const formatter = isNew ? remember(zone) : formatters.get(zone)
    if (formatter === undefined) onUnknownZone(zone, isNew)
    return dateBy(formatter ?? fallback, now)
  }
}

const dateFormatter = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })

const tryFormatter = (zone: string): Intl.DateTimeFormat | undefined => {
  try {
    return dateFormatter(zone)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** From its parts: the order and the separators of a locale are nobody's promise. */
const format = (formatter: Intl.DateTimeFormat, now: number): LocalDate => {
  const parts = new Map(formatter.formatToParts(now).map(({ type, value }) => [type, value]))
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}
