import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic } from '@dropbell/schemas/topics'
import { type ReadHeaders, readTextHeader, recordHeaders } from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'

export interface DeadLetterOutcomeDeps {
  publisher: Pick<Publisher, 'publish'>
  notifications: Pick<Codec<NotificationEvent>, 'decodeBatch'>
  outcomes: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  clock: { now(): number }
  log: Logger
}

/**
 * Writes dead letters, and with them what became of their notifications. Revision 0: whatever the ledger knows, or a
 * replay will bring, is newer. What cannot be decoded has no name to tell about.
 */
export const withDeadLetterOutcomes = (deps: DeadLetterOutcomeDeps): Pick<Publisher, 'publish'> => ({
  publish: async (deadLetters) => {
    const outcomes = await outcomesOf(deps, deadLetters).catch((err: unknown) => {
      // Better a dead letter of which nothing is said than none.
      deps.log.warn({ err, records: deadLetters.length }, 'dead letters without outcomes')
      return []
    })
    await deps.publisher.publish([...deadLetters, ...outcomes])
  },
})

const outcomesOf = async (
  { notifications, outcomes, clock }: DeadLetterOutcomeDeps,
  deadLetters: readonly OutgoingRecord[],
): Promise<OutgoingRecord[]> => {
  const decoded = await notifications.decodeBatch(deadLetters.map(({ value }) => value))
  const dead = decoded.flatMap((result, index) => {
    if (!result.ok) return []
    const headers = (deadLetters[index]?.headers ?? {}) as ReadHeaders
    const traceparent = readTextHeader(headers, recordHeaders.traceparent) ?? null
    return [toOutcome(result.value, clock.now(), traceparent)]
  })
  const values = await outcomes.encodeBatch(dead)
  return dead.map((outcome, index) => ({
    topic: notificationOutcomeTopic.name,
    key: notificationOutcomeTopic.keyOf(outcome),
    value: values[index] as Buffer,
  }))
}

const toOutcome = (
  notification: NotificationEvent,
  occurredAt: number,
  traceparent: string | null,
): NotificationOutcome => ({
  eventId: notification.eventId,
  notificationId: notification.notificationId,
  userId: notification.userId,
  productId: notification.productId,
  type: notification.notificationType,
  title: notification.title,
  channels: notification.channels,
  status: 'FAILED',
  reason: 'DEAD_LETTERED',
  blockingEventId: null,
  dayCount: null,
  revision: 0,
  occurredAt,
  results: [],
  traceparent,
  // As the ledger says it once the notification is there.
  eventTimestamp: notification.eventTimestamp ?? notification.timestamp,
})
