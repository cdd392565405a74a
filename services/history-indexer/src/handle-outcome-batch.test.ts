import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import type { ConsumedRecord, HandlerContext } from '@dropbell/shared/kafka/consumer/consumed-record'
import { FailedRecords } from '@dropbell/shared/kafka/consumer/failed-records'
import { Registry } from 'prom-client'
import { describe, expect, it, vi } from 'vitest'
import type { IndexResult } from './bulk-index.ts'
import { createOutcomeHandler } from './handle-outcome-batch.ts'
import { createHistoryMetrics } from './history-metrics.ts'

const context: HandlerContext = {
  signal: new AbortController().signal,
  isInterrupted: () => false,
  progress: async () => {},
}

const recordOf = (said: Partial<NotificationOutcome>) =>
  ({ value: sampleOutcome(said), headers: {} }) as ConsumedRecord<NotificationOutcome>

const handleWith = async (results: readonly IndexResult[]) => {
  const registry = new Registry()
  const months = { ensure: vi.fn(async () => {}), forget: vi.fn() }
  const handle = createOutcomeHandler({
    ...{
      alias: 'history',
      months,
      metrics: createHistoryMetrics(registry),
      now: () => sampleOutcome().occurredAt + 700,
    },
    bulkIndex: async () => [...results],
  })
  const records = results.map((_, i) => recordOf({ notificationId: `n-${i}` }))
  const failure = await Promise.resolve(handle(records, context)).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { records, failure, months, metrics: () => registry.metrics() }
}

describe('handling outcomes', () => {
  it('counts a newer version that is there already as done', async () => {
    const { failure, metrics } = await handleWith([{ kind: 'indexed' }, { kind: 'superseded' }])
    expect(failure).toBeUndefined()
    const text = await metrics()
    expect(text).toContain('dropbell_history_documents_total{result="superseded"} 1')
    expect(text).toContain('dropbell_outcome_to_history_seconds_sum 0.7')
  })

  it('fails exactly the records whose documents failed, each with its own error', async () => {
    const refused = new PermanentError('ELASTICSEARCH_REFUSED', 'no')
    const waiting = new TransientError('ELASTICSEARCH_OVERLOADED', 'later', { dependency: 'elasticsearch' })
    const { records, failure } = await handleWith([
      { kind: 'refused', error: refused },
      { kind: 'indexed' },
      { kind: 'failed', error: waiting },
    ])
    expect(failure).toBeInstanceOf(FailedRecords)
    expect((failure as FailedRecords).failures).toEqual(
      new Map([
        [records[0], refused],
        [records[2], waiting],
      ]),
    )
  })

  it('looks for an index again that a document had to wait for', async () => {
    const error = new TransientError('ELASTICSEARCH_INDEX_MISSING', 'gone', { dependency: 'elasticsearch' })
    const { months } = await handleWith([{ kind: 'failed', error }])
    expect(months.forget).toHaveBeenCalledWith('history-2026.01')
  })
})
