import { createHash } from 'node:crypto'
import type { NotificationEvent, NotificationType } from '@dropbell/schemas/generated/notification-event'

type Collapsing = Pick<NotificationEvent, 'notificationId' | 'notificationType' | 'productId'>

/** What APNs takes. */
const maxBytes = 64

/**
 * Of several with one key only the newest is shown: a second price of a product replaces the first, and so does today's
 * recommendation yesterday's. FCM keeps four keys for a device that is not there, so there should not be more of them
 * than needed; but what is said about an order must not replace what was said about it before.
 */
const keys: Readonly<Record<NotificationType, (notification: Collapsing) => string>> = {
  PRICE_DROP: ({ productId }) => `PRICE_DROP:${productId}`,
  BACK_IN_STOCK: ({ productId }) => `BACK_IN_STOCK:${productId}`,
  RECOMMENDATION: () => 'RECOMMENDATION',
  REMINDER: ({ productId }) => `REMINDER:${productId}`,
  TRANSACTIONAL: ({ notificationId }) => notificationId,
}

/** The same for every attempt of a notification, so that one which is sent again replaces itself. */
export const collapseKeyOf = (notification: Collapsing): string => {
  const key = keys[notification.notificationType](notification)
  return Buffer.byteLength(key) <= maxBytes && isPrintable(key) ? key : hashOf(key)
}

/** A header of Web Push that takes 32 characters of base64url. */
export const webTopicOf = (collapseKey: string): string => hashOf(collapseKey).slice(0, 32)

const isPrintable = (key: string): boolean => /^[\x21-\x7e]+$/.test(key)

const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url')
