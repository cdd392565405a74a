import { randomUUID } from 'node:crypto'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'

const NOON = Date.UTC(2026, 0, 15, 3)

export function sampleNotifications(count: number): NotificationEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    notificationId: `0b2f6f7e-8f0a-5c1e-9a53-${String(index).padStart(12, '0')}`,
    userId: `user-${index}`,
    productId: 'P-20391',
    notificationType: 'PRICE_DROP',
    title: '가격이 떨어졌어요!',
    body: '에어 러닝 운동화가 12% 할인 중입니다!',
    data: { previousPrice: '79.9', currentPrice: '69.9', dropPercentage: '12' },
    channels: ['PUSH', 'IN_APP'],
    priority: 'HIGH',
    timestamp: NOON + index,
    eventId: 'inventory-7f3d2a',
    eventTimestamp: NOON,
    expiresAt: NOON + 86_400_000,
  }))
}

export function sampleInventoryEvents(count: number): ProductInventoryEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    eventId: `inventory-${index}`,
    productId: `P-${index}`,
    eventType: 'PRICE_CHANGE',
    previousPrice: 79.9 + index,
    currentPrice: 69.9 + index,
    previousStock: null,
    currentStock: null,
    timestamp: NOON + index,
  }))
}

/** Each of a notification of its own that was sent to one device and into the inbox. */
export function sampleOutcomes(count: number): NotificationOutcome[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => ({
    eventId: 'inventory-7f3d2a',
    notificationId: randomUUID(),
    userId: `user-${index}`,
    productId: 'P-20391',
    type: 'PRICE_DROP',
    title: '가격이 떨어졌어요!',
    channels: ['PUSH', 'IN_APP'],
    status: 'SENT',
    reason: null,
    blockingEventId: null,
    dayCount: null,
    revision: 1,
    occurredAt: now,
    results: [
      { channel: 'PUSH', target: `device-${index}`, attempt: 1, code: null, latencyMs: 23, at: now },
      { channel: 'IN_APP', target: `user-${index}`, attempt: 1, code: null, latencyMs: 2, at: now },
    ],
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    eventTimestamp: now - 250,
  }))
}
