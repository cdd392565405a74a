import type { Channel, NotificationEvent, Priority } from '@dropbell/schemas/generated/notification-event'
import { toShortestFloat32 } from '@dropbell/schemas/price'
import { type Language, textOf } from './notification-texts.ts'
import type { Occasion, Trigger } from './trigger.ts'

/** What somebody is told, or everybody who reads the same language. */
export type Message = Pick<NotificationEvent, 'title' | 'body' | 'data' | 'channels' | 'priority'>

export const channelsOf: Readonly<Record<Occasion['type'], readonly Channel[]>> = {
  PRICE_DROP: ['PUSH', 'IN_APP'],
  BACK_IN_STOCK: ['PUSH', 'SMS'],
  RECOMMENDATION: ['PUSH', 'IN_APP'],
}

export const priorityOf: Readonly<Record<Occasion['type'], Priority>> = {
  PRICE_DROP: 'HIGH',
  BACK_IN_STOCK: 'HIGH',
  RECOMMENDATION: 'NORMAL',
}

export const composeMessage = (trigger: Trigger, language: Language): Message => ({
  ...textOf(trigger, language),
  data: dataOf(trigger),
  channels: channelsOf[trigger.type],
  priority: priorityOf[trigger.type],
})

const dataOf = (trigger: Trigger): Record<string, string> => {
  switch (trigger.type) {
    case 'PRICE_DROP':
      return {
        previousPrice: String(toShortestFloat32(trigger.previousPrice)),
        currentPrice: String(toShortestFloat32(trigger.currentPrice)),
        dropPercentage: String(trigger.dropPercentage),
      }
    case 'BACK_IN_STOCK':
      return { currentStock: String(trigger.currentStock) }
  }
}

export interface Addressing {
  readonly notificationId: string
  readonly userId: string
  /** When the notification is made. */
  readonly now: number
  readonly expiresAt: number
}

export const composeNotification = (
  occasion: Occasion,
  message: Message,
  { notificationId, userId, now, expiresAt }: Addressing,
): NotificationEvent => ({
  // Written out, not spread: this is made for every user.
  notificationId,
  userId,
  productId: occasion.productId,
  notificationType: occasion.type,
  title: message.title,
  body: message.body,
  data: message.data,
  channels: message.channels,
  priority: message.priority,
  timestamp: now,
  eventId: occasion.eventId,
  eventTimestamp: occasion.eventTimestamp,
  expiresAt,
})
