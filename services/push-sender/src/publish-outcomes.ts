import { markPublished } from '@dropbell/database/ledger/mark-published'
import { type OutcomeRow, readOutcomes, readUnpublishedOutcomes } from '@dropbell/database/ledger/read-outcomes'
import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic } from '@dropbell/schemas/topics'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import type { Pool } from 'pg'
import { outcomeOf } from './outcome-of.ts'
import type { SenderMetrics } from './sender-metrics.ts'

export interface OutcomePublisherDeps {
  pool: Pool
  codec: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  publisher: Pick<Publisher, 'publish'>
  metrics: Pick<SenderMetrics, 'outcomes'>
}

export interface OutcomePublisher {
  /** Whatever is news about these notifications; of some it is known already. */
  publishOf(notificationIds: Iterable<string>, known?: readonly OutcomeRow[]): Promise<void>
  /** What somebody should have published a while ago. Returns how many there were. */
  publishLeftBehind(options: { limit: number; olderThanMs: number }): Promise<number>
}

/** A revision may be published twice, by whoever settled it and whoever found it left behind: it says the same. */
export const createOutcomePublisher = ({ pool, codec, publisher, metrics }: OutcomePublisherDeps): OutcomePublisher => {
  const publish = async (rows: readonly OutcomeRow[]): Promise<void> => {
    if (rows.length === 0) return
    const outcomes = rows.map(outcomeOf)
    const values = await codec.encodeBatch(outcomes)
    await publisher.publish(outcomes.map((outcome, index) => toRecord(outcome, values[index] as Buffer, rows[index])))
    await markPublished(
      pool,
      outcomes.map(({ notificationId, revision }) => ({ notificationId, revision })),
    )
    for (const { status } of outcomes) metrics.outcomes.inc({ status })
  }
  return {
    publishOf: async (notificationIds, known = []) =>
      publish([...known, ...(await readOutcomes(pool, [...notificationIds]))]),
    publishLeftBehind: async (options) => {
      const rows = await readUnpublishedOutcomes(pool, options)
      await publish(rows)
      return rows.length
    },
  }
}

const toRecord = (outcome: NotificationOutcome, value: Buffer, row: OutcomeRow | undefined): OutgoingRecord => {
  const { eventId, traceparent } = outcome
  const happened = row?.event_timestamp?.getTime()
  const headers = {
    ...(eventId !== null && { [recordHeaders.eventId]: eventId }),
    ...(happened !== undefined && { [recordHeaders.eventTimestamp]: String(happened) }),
    ...(traceparent !== null && { [recordHeaders.traceparent]: traceparent }),
  }
  return { topic: notificationOutcomeTopic.name, key: notificationOutcomeTopic.keyOf(outcome), value, headers }
}
