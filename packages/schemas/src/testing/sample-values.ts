import type { NotificationEvent } from '../generated/notification-event.ts'
import type { ProductInventoryEvent } from '../generated/product-inventory-event.ts'

export const sampleInventoryEvent: ProductInventoryEvent = {
  eventId: 'evt-1',
  productId: 'P-1',
  eventType: 'PRICE_CHANGE',
  previousPrice: 79.9,
  currentPrice: 69.9,
  previousStock: null,
  currentStock: null,
  timestamp: Date.UTC(2026, 0, 15),
}

export const sampleNotification: NotificationEvent = {
  notificationId: 'n-1',
  userId: 'user-1',
  productId: 'P-1',
  notificationType: 'TRANSACTIONAL',
  title: '주문이 완료되었어요 🎉',
  body: 'Your order is complete',
  data: { orderId: 'o-1' },
  channels: ['PUSH', 'IN_APP'],
  priority: 'HIGH',
  timestamp: Date.UTC(2026, 0, 15),
  eventId: 'evt-1',
  eventTimestamp: Date.UTC(2026, 0, 15) - 250,
  expiresAt: Date.UTC(2026, 0, 22),
}
