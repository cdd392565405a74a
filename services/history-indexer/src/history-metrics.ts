import { createCounter, createHistogram, endToEndBuckets } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'

export type HistoryMetrics = ReturnType<typeof createHistoryMetrics>

export const createHistoryMetrics = (registry: Registry) => ({
  documents: createCounter(registry, {
    name: 'dropbell_history_documents_total',
    help: 'Documents for the history: indexed, superseded by a version that is as new, refused by the mapping, or failed for now.',
    labels: { result: ['indexed', 'superseded', 'refused', 'failed'] },
  }),
  outcomeToHistorySeconds: createHistogram(registry, {
    name: 'dropbell_outcome_to_history_seconds',
    help: 'From the outcome of a notification to its document in the history.',
    labels: {},
    buckets: endToEndBuckets,
  }),
})
