import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { historyDocumentOf, historyVersionOf } from '@dropbell/schemas/history/history-document'
import { historyIndexOf } from '@dropbell/schemas/history/history-month'
import type { ConsumedRecord } from '@dropbell/shared/kafka/consumer/consumed-record'
import { readTextHeader, recordHeaders } from '@dropbell/shared/kafka/headers'

/** A document on its way into the history. */
export interface HistoryEntry {
  readonly index: string
  readonly id: string
  readonly version: number
  /** As JSON, whose length is known. */
  readonly document: string
}

export type OutcomeRecord = Pick<ConsumedRecord<NotificationOutcome>, 'value' | 'headers'>

export const historyEntryOf = (alias: string, record: OutcomeRecord): HistoryEntry => {
  const outcome = record.value
  return {
    index: historyIndexOf(alias, filedUnder(record)),
    id: outcome.notificationId,
    version: historyVersionOf(outcome),
    document: JSON.stringify(historyDocumentOf(outcome)),
  }
}

/**
 * A writer of version 1 says the event's time in a header, if it knows it. The time of the outcome is the last resort:
 * if the outcomes of such a notification come in two months, it is twice in the history.
 */
const filedUnder = ({ value: { eventTimestamp, occurredAt }, headers }: OutcomeRecord): number => {
  if (eventTimestamp !== null) return eventTimestamp
  const said = readTextHeader(headers, recordHeaders.eventTimestamp) ?? ''
  return /^\d{1,16}$/.test(said) ? Number(said) : occurredAt
}
