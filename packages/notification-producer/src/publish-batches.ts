import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import type { Clock } from './clock.ts'
import { encodeRecords, type RecordOrigin } from './encode-records.ts'
import type { NotificationMetrics } from './notification-metrics.ts'
import type { Occasion } from './trigger.ts'

/** What is to be written for some users of one event. */
export interface NotificationBatch {
  readonly occasion: Pick<Occasion, 'type' | 'eventId' | 'eventTimestamp'>
  readonly traceparent: string
  readonly notifications: readonly NotificationEvent[]
  /** Of users who may not be told. */
  readonly outcomes: readonly NotificationOutcome[]
}

export interface PublisherDeps {
  codecs: {
    notification: Pick<Codec<NotificationEvent>, 'encodeBatch'>
    outcome: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  }
  publisher: Pick<Publisher, 'publish'>
  clock: Pick<Clock, 'now'>
  metrics: Pick<NotificationMetrics, 'publishSeconds' | 'eventToPublishSeconds'>
}

/** Together, and resolved when all of it is acknowledged. */
export type PublishBatches = (batches: readonly NotificationBatch[]) => Promise<void>

export const createBatchPublisher = ({ codecs, publisher, clock, metrics }: PublisherDeps): PublishBatches => {
  const writers = {
    notification: { topic: notificationPushTopic, codec: codecs.notification },
    outcome: { topic: notificationOutcomeTopic, codec: codecs.outcome },
  }

  const encode = async ({ occasion, traceparent, notifications, outcomes }: NotificationBatch) => {
    const origin: RecordOrigin = { ...occasion, traceparent }
    const records = await encodeRecords(writers.notification, notifications, origin)
    return outcomes.length === 0 ? records : [...records, ...(await encodeRecords(writers.outcome, outcomes, origin))]
  }

  const publish = async (records: readonly OutgoingRecord[]): Promise<void> => {
    const stop = metrics.publishSeconds.startTimer()
    try {
      await publisher.publish(records)
      stop({ outcome: 'ok' })
    } catch (error) {
      stop({ outcome: 'failed' })
      throw error
    }
  }

  return async (batches) => {
    const records: OutgoingRecord[] = []
    for (const batch of batches) for (const record of await encode(batch)) records.push(record)
    if (records.length === 0) return
    await publish(records)
    const publishedAt = clock.now()
    for (const { occasion, notifications } of batches) {
      if (notifications.length === 0) continue
      const seconds = Math.max(0, publishedAt - occasion.eventTimestamp) / 1_000
      metrics.eventToPublishSeconds.observe({ type: occasion.type }, seconds)
    }
  }
}
