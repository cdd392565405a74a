import type { Pool } from 'pg'
import type { NotificationPreferencesRow, PreferredChannel } from './notification-preferences-row.ts'
import { askPostgres } from './postgres-failure.ts'
import type { UserInfoRow } from './user-info-row.ts'

export type OptionalType = 'PRICE_DROP' | 'BACK_IN_STOCK' | 'RECOMMENDATION' | 'REMINDER'

/** What must be known of a user to decide whether, when and in which words to tell them. */
export interface Recipient {
  readonly timezone: string
  readonly locale: string
  readonly optedOut: ReadonlySet<OptionalType>
  readonly channels: readonly PreferredChannel[]
  /** When not to ring. */
  readonly quietHours: QuietHours | null
}

/** Local times, HH:MM:SS; the end may be before the start, on the next day. */
export interface QuietHours {
  readonly start: string
  readonly end: string
}

/** A user without rows; the tables have the same defaults. */
export const defaultRecipient: Recipient = {
  timezone: 'Asia/Seoul',
  locale: 'ko',
  optedOut: new Set(),
  channels: ['PUSH', 'IN_APP'],
  quietHours: null,
}

type FlagColumn = Extract<keyof NotificationPreferencesRow, `${string}_enabled`>

const flagColumns: Readonly<Record<OptionalType, FlagColumn>> = {
  PRICE_DROP: 'price_drop_enabled',
  BACK_IN_STOCK: 'restock_enabled',
  RECOMMENDATION: 'recommendation_enabled',
  REMINDER: 'reminder_enabled',
}
const flags = Object.entries(flagColumns) as [OptionalType, FlagColumn][]

type Nullable<T> = { [Key in keyof T]: T[Key] | null }
type JoinedRow = Pick<UserInfoRow, 'user_id'> &
  Nullable<Pick<UserInfoRow, 'timezone' | 'locale'>> &
  Nullable<Pick<NotificationPreferencesRow, FlagColumn | 'channels' | 'quiet_hours_start' | 'quiet_hours_end'>>

const text = `
  SELECT user_id, i.timezone, i.locale, p.channels, p.quiet_hours_start, p.quiet_hours_end,
    ${flags.map(([, column]) => `p.${column}`).join(', ')}
  FROM unnest($1::text[]) AS asked (user_id)
  LEFT JOIN user_info i USING (user_id)
  LEFT JOIN notification_preferences p USING (user_id)
  WHERE i.user_id IS NOT NULL OR p.user_id IS NOT NULL
`

/** Everybody who was asked for is in the answer. One query, whatever the size of the page. */
export const readRecipients = async (pool: Pool, userIds: readonly string[]): Promise<Map<string, Recipient>> => {
  const recipients = new Map(userIds.map((userId) => [userId, defaultRecipient]))
  // Postgres refuses the whole list for a NUL in one text, which therefore cannot be in a row either.
  const askable = userIds.filter((userId) => !userId.includes('\0'))
  if (askable.length === 0) return recipients
  const { rows } = await askPostgres(() => pool.query<JoinedRow>(text, [askable]))
  for (const row of rows) recipients.set(row.user_id, toRecipient(row))
  return recipients
}

const toRecipient = (row: JoinedRow): Recipient => ({
  timezone: row.timezone ?? defaultRecipient.timezone,
  locale: row.locale ?? defaultRecipient.locale,
  optedOut: new Set(flags.filter(([, column]) => row[column] === false).map(([type]) => type)),
  channels: row.channels ?? defaultRecipient.channels,
  quietHours: quietHoursOf(row),
})

const quietHoursOf = ({ quiet_hours_start: start, quiet_hours_end: end }: JoinedRow): QuietHours | null =>
  start === null || end === null ? null : { start, end }
