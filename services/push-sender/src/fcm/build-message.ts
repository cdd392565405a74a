import type { NotificationEvent, NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { AndroidConfig, ApnsConfig, TokenMessage, WebpushConfig } from 'firebase-admin/messaging'
import type { Outgoing, Platform } from '../provider.ts'
import { collapseKeyOf, webTopicOf } from './collapse-key.ts'

export interface MessageRules {
  /** These reach the app as data, which personalises and shows them; the system shows all others. */
  readonly dataOnlyTypes: ReadonlySet<NotificationType>
}

interface Content {
  readonly notification: NotificationEvent
  readonly dataOnly: boolean
  readonly collapseKey: string
  readonly expiresAt: number
  readonly ttlSeconds: number
}

const dayMs = 86_400_000
const maxTtlSeconds = 28 * 86_400

/** In the names of the wire where the SDK would leave them as they are, so that both transports send the same bytes. */
export const buildMessage = ({ notification, target }: Outgoing, rules: MessageRules, now: number): TokenMessage => {
  // A writer of version 1 says nothing about the end; what the ledger knows should have been filled in before.
  const expiresAt = notification.expiresAt ?? notification.timestamp + dayMs
  const content: Content = {
    notification,
    dataOnly: rules.dataOnlyTypes.has(notification.notificationType),
    collapseKey: collapseKeyOf(notification),
    expiresAt,
    ttlSeconds: Math.min(maxTtlSeconds, Math.max(0, Math.floor((expiresAt - now) / 1_000))),
  }
  return { token: target.address, data: dataOf(content), ...platformParts[target.platform ?? 'ANDROID'](content) }
}

const dataOf = ({ notification, dataOnly }: Content): Record<string, string> => ({
  ...notification.data,
  notificationId: notification.notificationId,
  type: notification.notificationType,
  productId: notification.productId,
  ...(dataOnly && textOf(notification)),
})

const textOf = ({ title, body }: NotificationEvent) => ({ title, body })

const android = (content: Content): AndroidConfig => ({
  // Data wakes the app only with high priority; the system may hold back an alert that is not urgent.
  priority: content.dataOnly || content.notification.priority === 'HIGH' ? 'high' : 'normal',
  ttl: content.ttlSeconds * 1_000,
  collapseKey: content.collapseKey,
  // The key acts while a message waits for the device, the tag once it is on the screen.
  ...(!content.dataOnly && { notification: { ...textOf(content.notification), tag: content.collapseKey } }),
})

const apns = ({ notification, dataOnly, collapseKey, expiresAt }: Content): ApnsConfig => ({
  headers: {
    'apns-push-type': dataOnly ? 'background' : 'alert',
    // APNs refuses a background push of any other priority.
    'apns-priority': dataOnly || notification.priority === 'LOW' ? '5' : '10',
    'apns-expiration': String(Math.floor(expiresAt / 1_000)),
    'apns-collapse-id': collapseKey,
  },
  payload: { aps: dataOnly ? { 'content-available': 1 } : { alert: textOf(notification) } },
})

const webpush = ({ notification, dataOnly, collapseKey, ttlSeconds }: Content): WebpushConfig => ({
  headers: {
    TTL: String(ttlSeconds),
    Urgency: notification.priority === 'HIGH' ? 'high' : 'normal',
    Topic: webTopicOf(collapseKey),
  },
  ...(!dataOnly && { notification: { ...textOf(notification), tag: collapseKey } }),
})

/** A device has one platform: what is meant for others would only count towards the 4 KB. */
const platformParts: Readonly<Record<Platform, (content: Content) => Omit<TokenMessage, 'token'>>> = {
  ANDROID: (content) => ({ android: android(content) }),
  IOS: (content) => ({ apns: apns(content) }),
  WEB: (content) => ({ webpush: webpush(content) }),
}
