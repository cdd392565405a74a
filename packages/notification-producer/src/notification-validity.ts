import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { NotificationConfig } from './config.ts'

const hourMs = 3_600_000

export type ValidityConfig = Pick<NotificationConfig, `NOTIFICATION_VALIDITY_${string}` & keyof NotificationConfig>

const variables = {
  PRICE_DROP: 'NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS',
  BACK_IN_STOCK: 'NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS',
  RECOMMENDATION: 'NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS',
  REMINDER: 'NOTIFICATION_VALIDITY_REMINDER_HOURS',
  TRANSACTIONAL: 'NOTIFICATION_VALIDITY_TRANSACTIONAL_HOURS',
} as const satisfies Record<NotificationType, keyof ValidityConfig>

/** Counted from the event, not from when we came to it: an offer does not live longer because we were late. */
export const expiryOf = (config: ValidityConfig, type: NotificationType, eventTimestamp: number): number =>
  eventTimestamp + config[variables[type]] * hourMs
