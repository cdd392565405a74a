import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { ConsumedRecord, Handle } from '@dropbell/shared/kafka/consumer/consumed-record'
import { FailedRecords } from '@dropbell/shared/kafka/consumer/failed-records'
import type { BulkIndex, IndexResult } from './bulk-index.ts'
import { historyEntryOf } from './history-entry.ts'
import type { HistoryMetrics } from './history-metrics.ts'
import type { MonthIndices } from './month-indices.ts'

export interface OutcomeHandlerDeps {
  alias: string
  bulkIndex: BulkIndex
  months: MonthIndices
  metrics: HistoryMetrics
  now(): number
}

/** A document that is refused, or has to wait, fails its own record; the others of the batch are done. */
export const createOutcomeHandler =
  ({ alias, bulkIndex, months, metrics, now }: OutcomeHandlerDeps): Handle<NotificationOutcome> =>
  async (records, { signal }) => {
    const entries = records.map((record) => historyEntryOf(alias, record))
    await months.ensure(entries.map(({ index }) => index))
    const results = await bulkIndex(entries, signal)
    observe(metrics, records, results, now())
    const failures = new Map<ConsumedRecord<NotificationOutcome>, Error>()
    for (const [position, record] of records.entries()) {
      const result = results[position]
      if (result === undefined || !('error' in result)) continue
      failures.set(record, result.error)
      // Retried, it is made again, if that is what was missing.
      if (result.kind === 'failed') months.forget(entries[position]?.index ?? '')
    }
    if (failures.size > 0) throw new FailedRecords(failures)
  }

const observe = (
  metrics: HistoryMetrics,
  records: readonly ConsumedRecord<NotificationOutcome>[],
  results: readonly IndexResult[],
  now: number,
): void => {
  const counts = new Map<IndexResult['kind'], number>()
  for (const [position, { kind }] of results.entries()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const occurredAt = records[position]?.value.occurredAt
    if (kind !== 'indexed' || occurredAt === undefined) continue
    // Clocks differ.
    metrics.outcomeToHistorySeconds.observe(Math.max(0, now - occurredAt) / 1_000)
  }
  for (const [result, count] of counts) metrics.documents.inc({ result }, count)
}
