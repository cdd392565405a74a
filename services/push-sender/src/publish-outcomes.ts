import {
  deleteNotes,
  type OldNote,
  type OutcomeNote,
  postponeNote,
  readOldNote,
} from '@dropbell/database/ledger/outcome-notes'
import { type OutcomeRow, readOutcomes } from '@dropbell/database/ledger/read-outcomes'
import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'
import type { Pool } from 'pg'
import { outcomeOf } from './outcome-of.ts'
import type { SenderMetrics } from './sender-metrics.ts'

export interface OutcomePublisherDeps {
  pool: Pool
  codec: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  publisher: Pick<Publisher, 'publish'>
  metrics: Pick<SenderMetrics, 'outcomes'>
  log: Logger
}

export interface OutcomeNews {
  /** Whose outcome is to be read. */
  readonly toRead: Iterable<string>
  /** What is known without asking. */
  readonly known?: readonly OutcomeRow[]
  /** That all of this is to be published. */
  readonly notes: readonly OutcomeNote[]
}

export interface OutcomePublisher {
  publish(news: OutcomeNews): Promise<void>
  /** The oldest that somebody should have published a while ago. Returns whether there was any. */
  publishLeftBehind(options: { olderThanMs: number }): Promise<boolean>
}

/** A revision may be published twice, by whoever settled it and whoever found it left behind: it says the same. */
export const createOutcomePublisher = ({
  pool,
  codec,
  publisher,
  metrics,
  log,
}: OutcomePublisherDeps): OutcomePublisher => {
  const publishRows = async (rows: readonly OutcomeRow[]): Promise<void> => {
    if (rows.length === 0) return
    const outcomes = rows.map(outcomeOf)
    const values = await codec.encodeBatch(outcomes)
    await publisher.publish(outcomes.map((outcome, index) => toRecord(outcome, values[index] as Buffer, rows[index])))
    for (const { status } of outcomes) metrics.outcomes.inc({ status })
  }

  const publish: OutcomePublisher['publish'] = async ({ toRead, known = [], notes }) => {
    await publishRows([...known, ...(await readOutcomes(pool, [...toRead]))])
    await deleteNotes(pool, notes)
  }

  /** One that can never be published is left out, loudly: the ledger still has it, and its neighbours go. */
  const publishOld = async ({ note, notificationIds }: OldNote): Promise<void> => {
    try {
      return await publish({ toRead: notificationIds, notes: [note] })
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
    }
    for (const notificationId of notificationIds) {
      try {
        await publish({ toRead: [notificationId], notes: [] })
      } catch (err) {
        if (!(err instanceof PermanentError)) throw err
        log.error({ err, notificationId }, 'an outcome cannot be published')
      }
    }
    await deleteNotes(pool, [note])
  }

  return {
    publish,
    publishLeftBehind: async ({ olderThanMs }) => {
      const old = await readOldNote(pool, olderThanMs)
      if (old === undefined) return false
      try {
        await publishOld(old)
      } catch (error) {
        await postponeNote(pool, old.note)
        throw error
      }
      return true
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
