import { randomUUID } from 'node:crypto'
import type { PlannedNotification } from '../ledger/claim-plans.ts'

/** A price drop for one device, unless said otherwise. */
export const plannedNotification = (said: Partial<PlannedNotification> = {}): PlannedNotification => ({
  notificationId: randomUUID(),
  userId: 'u',
  type: 'PRICE_DROP',
  productId: 'p',
  eventId: 'e',
  title: '가격이 떨어졌어요!',
  body: '운동화',
  data: { currentPrice: '79.9' },
  channels: ['PUSH', 'IN_APP'],
  priority: 'HIGH',
  composedAt: Date.now(),
  eventTimestamp: Date.now(),
  expiresAt: Date.now() + 3_600_000,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  timezone: 'Asia/Seoul',
  refusal: null,
  deliveries: [{ channel: 'PUSH', targetId: 'phone', kind: 'send' }],
  ...said,
})
