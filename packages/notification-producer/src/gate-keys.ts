import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { LocalDate } from './local-date.ts'

export const defaultKeyPrefix = 'dropbell'

export interface GateKeys {
  sent(userId: string, subject: string, type: NotificationType): string
  daily(userId: string, date: LocalDate): string
  /** Of a notification that was admitted on an earlier date and counts for this one too. */
  carried(userId: string, date: LocalDate, notificationId: string): string
  /** Not a user's: there as long as this Redis has its memory. */
  readonly memory: string
}

/** All keys of a user have the user as their hash tag, so that Redis Cluster keeps them on one node. */
export const gateKeys = (prefix: string = defaultKeyPrefix): GateKeys => ({
  sent: (userId, subject, type) => `${prefix}:{${hashTag(userId)}}:sent:${subject}:${type}`,
  daily: (userId, date) => `${prefix}:{${hashTag(userId)}}:daily:${date}`,
  carried: (userId, date, notificationId) => `${prefix}:{${hashTag(userId)}}:carried:${date}:${notificationId}`,
  memory: `${prefix}:gate-memory`,
})

/**
 * A brace in the id would end the tag early, so that two users could share keys; an empty tag is none, and would
 * scatter the keys. What stands for these contains `%`, which therefore is encoded too.
 */
const hashTag = (userId: string): string => (userId === '' ? '%' : userId.replace(/[%{}]/g, encodeURIComponent))
