import type { TakenRow } from '@dropbell/database/ledger/take-due-deliveries'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { RefusalCode } from '@dropbell/schemas/refusal-codes'
import type { HeldDelivery } from './held-delivery.ts'
import { hasOptedOut, wantsChannel } from './plan-deliveries.ts'
import type { Target } from './provider.ts'

export type Reconsidered =
  | { readonly kind: 'send'; readonly held: HeldDelivery }
  | { readonly kind: 'refuse'; readonly key: HeldDelivery['key']; readonly code: RefusalCode }

/** What is taken from the ledger: the user may have changed their mind since it was planned, or their phone. */
export const reconsider = (row: TakenRow, recipient: Recipient, now: number): Reconsidered => {
  const key = { notificationId: row.notification_id, channel: row.channel, targetId: row.target_id }
  const notification = toNotification(row)
  const refuse = (code: RefusalCode): Reconsidered => ({ kind: 'refuse', key, code })
  if (notification.expiresAt <= now) return refuse('EXPIRED')
  if (hasOptedOut(notification, recipient)) return refuse('OPTED_OUT')
  if (!wantsChannel(notification, row.channel, recipient)) return refuse('CHANNEL_OPTED_OUT')
  const target = targetOf[row.channel](row, recipient)
  if (typeof target === 'string') return refuse(target)
  return { kind: 'send', held: { key, notification, target, recipient, plannedIn: row.timezone, waited: row.waited } }
}

const toDevice = ({ target_id: id, device }: TakenRow): Target | RefusalCode => {
  if (device === null) return 'NO_DEVICE'
  if (device.status === 'INVALID') return 'DEVICE_INVALID'
  if (!device.push_consent) return 'NO_CONSENT'
  const { token, platform, locale } = device
  return { id, address: token, platform, ...(locale !== null && { locale }) }
}

type TargetOf = (row: TakenRow, recipient: Recipient) => Target | RefusalCode

const targetOf: Readonly<Record<TakenRow['channel'], TargetOf>> = {
  PUSH: toDevice,
  SMS: ({ target_id: id, phone }, { locale }) => (phone ? { id, address: phone, locale } : 'NO_PHONE'),
  EMAIL: ({ target_id: id, email }, { locale }) => (email ? { id, address: email, locale } : 'NO_EMAIL'),
  IN_APP: ({ target_id: id, user_id }) => ({ id, address: user_id }),
}

const toNotification = (row: TakenRow): HeldDelivery['notification'] => ({
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
