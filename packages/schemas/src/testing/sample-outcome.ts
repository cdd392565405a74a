import type { NotificationOutcome, TargetResult } from '../generated/notification-outcome.ts'

const noon = Date.UTC(2026, 0, 15, 3)

export const acceptedResult = (said: Partial<TargetResult> = {}): TargetResult => ({
  channel: 'PUSH',
  target: 'device-1',
  attempt: 1,
  code: null,
  latencyMs: 12,
  at: noon + 800,
  ...said,
})

/** Sent to one device, with what a test wants to say instead. */
export const sampleOutcome = (said: Partial<NotificationOutcome> = {}): NotificationOutcome => ({
  eventId: 'evt-1',
  notificationId: '0b2f6f7e-8f0a-5c1e-9a53-000000000001',
  userId: 'user-1',
  productId: 'P-1',
  type: 'PRICE_DROP',
  title: '가격이 떨어졌어요!',
  channels: ['PUSH', 'IN_APP'],
  status: 'SENT',
  reason: null,
  blockingEventId: null,
  dayCount: null,
  revision: 1,
  occurredAt: noon + 1_000,
  results: [acceptedResult()],
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  eventTimestamp: noon,
  ...said,
})
