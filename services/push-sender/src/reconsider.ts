import type { TakenRow } from '@dropbell/database/ledger/take-due-deliveries'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { HeldDelivery } from './held-delivery.ts'
import { hasOptedOut, type RefusalCode, wantsChannel } from './plan-deliveries.ts'

export type Reconsidered =
  | { readonly kind: 'send'; readonly held: HeldDelivery }
  | { readonly kind: 'refuse'; readonly key: HeldDelivery['key']; readonly code: RefusalCode }

/** What waited is judged again: the user may have changed their mind meanwhile, or their device. */
export const reconsider = (row: TakenRow, recipient: Recipient, now: number): Reconsidered => {
  const key = { notificationId: row.notification_id, channel: row.channel, targetId: row.target_id }
  const notification = toNotification(row)
  const refuse = (code: RefusalCode): Reconsidered => ({ kind: 'refuse', key, code })
  if (row.expires_at.getTime() <= now) return refuse('EXPIRED')
  if (hasOptedOut(notification, recipient)) return refuse('OPTED_OUT')
  if (!wantsChannel(notification, row.channel, recipient)) return refuse('CHANNEL_OPTED_OUT')
  const { device } = row
  if (device === null) return refuse('NO_DEVICE')
  if (device.status === 'INVALID') return refuse('DEVICE_INVALID')
  if (!device.push_consent) return refuse('NO_CONSENT')
  const { token, platform, locale } = device
  const target = { id: row.target_id, token, platform, ...(locale !== null && { locale }) }
  return { kind: 'send', held: { key, notification, target } }
}

const toNotification = (row: TakenRow): NotificationEvent => ({
  notificationId: row.notification_id,
  userId: row.user_id,
  productId: row.product_id,
  notificationType: row.notification_type,
  title: row.title,
  body: row.body,
  data: row.data,
  channels: row.channels,
  priority: row.priority,
  timestamp: row.composed_at.getTime(),
  eventId: row.event_id,
  eventTimestamp: row.event_timestamp?.getTime() ?? null,
  expiresAt: row.expires_at.getTime(),
})
