import { describe, expect, it } from 'vitest'
import { sampleInventoryEvent, sampleNotification } from './testing/sample-values.ts'
import {
  notificationFanoutTopic,
  notificationOutcomeTopic,
  notificationPushTopic,
  productInventoryTopic,
} from './topics.ts'

const outcome = {
  eventId: 'evt-1',
  notificationId: 'n-1',
  userId: 'user-1',
  productId: 'P-1',
  type: 'PRICE_DROP',
  title: null,
  channels: [],
  status: 'STALE',
  reason: null,
  blockingEventId: null,
  dayCount: null,
  revision: 0,
  occurredAt: 0,
  results: [],
  traceparent: null,
  eventTimestamp: null,
} as const

describe('the key of a record', () => {
  it('is what the topic table says', () => {
    const request = {
      event: sampleInventoryEvent,
      notificationType: 'PRICE_DROP',
      asOf: 0,
      afterUserId: null,
      servedUsers: 0,
    } as const
    expect(productInventoryTopic.keyOf(sampleInventoryEvent)).toBe('P-1')
    expect(notificationFanoutTopic.keyOf(request)).toBe('evt-1')
    expect(notificationPushTopic.keyOf(sampleNotification)).toBe('user-1')
    expect(notificationOutcomeTopic.keyOf(outcome)).toBe('user-1')
  })

  it('is the notification where an outcome speaks for many users', () => {
    expect(notificationOutcomeTopic.keyOf({ ...outcome, userId: null })).toBe('n-1')
  })
})
