import type { LedgerEntry } from '@dropbell/database/ledger/read-entries'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { Identity } from './facts.ts'

export const identityOfOutcome = (outcome: NotificationOutcome): Identity => {
  const { notificationId, eventId, userId, productId, type, title, eventTimestamp } = outcome
  return { notificationId, eventId, userId, productId, type, title, eventTimestamp }
}

export const identityOfEntry = (entry: LedgerEntry): Identity => {
  const { notificationId, eventId, userId, productId, type, title, eventTimestamp, composedAt } = entry
  return { notificationId, eventId, userId, productId, type, title, eventTimestamp: eventTimestamp ?? composedAt }
}

export const identityOfNotification = (notification: NotificationEvent): Identity => {
  const { notificationId, eventId, userId, productId, title, eventTimestamp, timestamp } = notification
  const type = notification.notificationType
  return { notificationId, eventId, userId, productId, type, title, eventTimestamp: eventTimestamp ?? timestamp }
}

/** Each notification once, named by whoever comes first. */
export const uniqueIdentities = (identities: readonly Identity[]): Identity[] => {
  const byId = new Map<string | null, Identity>()
  for (const identity of identities) if (!byId.has(identity.notificationId)) byId.set(identity.notificationId, identity)
  return [...byId.values()]
}

/** When it happened, the newest first. */
export const newestFirst = (one: Identity, other: Identity): number =>
  (other.eventTimestamp ?? 0) - (one.eventTimestamp ?? 0)
