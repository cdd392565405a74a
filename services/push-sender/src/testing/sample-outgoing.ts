import { randomUUID } from 'node:crypto'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Outgoing, Target } from '../provider.ts'

const noon = Date.UTC(2026, 0, 15, 3)

export const sampleNotification: NotificationEvent = {
  notificationId: '0b2f6f7e-8f0a-5c1e-9a53-000000000001',
  userId: 'user-1',
  productId: 'P-20391',
  notificationType: 'PRICE_DROP',
  title: '가격이 떨어졌어요!',
  body: '에어 러닝 운동화가 12% 할인 중입니다!',
  data: { previousPrice: '79.9', currentPrice: '69.9' },
  channels: ['PUSH', 'IN_APP'],
  priority: 'HIGH',
  timestamp: noon,
  eventId: 'inventory-7f3d2a',
  eventTimestamp: noon,
  expiresAt: noon + 86_400_000,
}

export interface OutgoingChanges {
  notification?: Partial<NotificationEvent>
  target?: Partial<Target>
}

/** A delivery to a device of its own. */
export const sampleOutgoing = ({ notification, target }: OutgoingChanges = {}): Outgoing => ({
  deliveryId: randomUUID(),
  notification: { ...sampleNotification, notificationId: randomUUID(), ...notification },
  target: { id: randomUUID(), address: `token-${randomUUID()}`, platform: 'ANDROID', ...target },
})
