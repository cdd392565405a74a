import { Gauge, type Registry } from 'prom-client'
import { createCounter, createHistogram, endToEndBuckets } from '../../metrics.ts'
import { type DeadLetterKind, deadLetterKinds } from './decide-failure.ts'

export interface ConsumerMetrics {
  retried(records: number): void
  deadLettered(kind: DeadLetterKind): void
  deadLetterFailed(): void
  settled(batch: { records: number; processed: number; seconds: number }): void
  paused(dependency: string): void
  resumed(): void
}

/** For a dependency that has no probe: its name comes from an error and is not bounded. */
const unknownDependency = 'unknown'

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, ...endToEndBuckets]
const recordBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]

export interface ConsumerMetricsOptions {
  registry: Registry
  topic: string
  /** Those that have a probe. */
  dependencies: readonly string[]
}

/** One set of metrics per registry: consumers of several topics in one service share it, each with its own series. */
export const createConsumerMetrics = ({ registry, topic, dependencies }: ConsumerMetricsOptions): ConsumerMetrics => {
  const { retries, deadLetters, deadLetterFailures, processed, pauses, paused, seconds, records } = metricsOf(registry)
  for (const counter of [retries, deadLetterFailures, processed]) counter.inc({ topic }, 0)
  for (const kind of deadLetterKinds) deadLetters.inc({ topic, kind }, 0)
  for (const dependency of [...dependencies, unknownDependency]) pauses.inc({ topic, dependency }, 0)
  for (const histogram of [seconds, records]) histogram.zero({ topic })
  paused.set({ topic }, 0)

  return {
    retried: (count) => retries.inc({ topic }, count),
    deadLettered: (kind) => deadLetters.inc({ topic, kind }),
    deadLetterFailed: () => deadLetterFailures.inc({ topic }),
    settled: (batch) => {
      processed.inc({ topic }, batch.processed)
      seconds.observe({ topic }, batch.seconds)
      records.observe({ topic }, batch.records)
    },
    paused: (dependency) => {
      pauses.inc({ topic, dependency: dependencies.includes(dependency) ? dependency : unknownDependency })
      paused.set({ topic }, 1)
    },
    resumed: () => paused.set({ topic }, 0),
  }
}

const metricsByRegistry = new WeakMap<Registry, ReturnType<typeof registerMetrics>>()

const metricsOf = (registry: Registry): ReturnType<typeof registerMetrics> => {
  const metrics = metricsByRegistry.get(registry) ?? registerMetrics(registry)
  metricsByRegistry.set(registry, metrics)
  return metrics
}

/** Without topics as yet, hence without series: whoever brings a topic adds them. */
const registerMetrics = (registry: Registry) => ({
  retries: createCounter(registry, {
    name: 'dropbell_consumer_retries_total',
    help: 'Records that were tried again.',
    labels: { topic: [] },
  }),
  deadLetters: createCounter(registry, {
    name: 'dropbell_consumer_dead_letters_total',
    help: 'Records that were given up, by reason.',
    labels: { topic: [], kind: deadLetterKinds },
  }),
  deadLetterFailures: createCounter(registry, {
    name: 'dropbell_consumer_dead_letter_failures_total',
    help: 'Times that dead letters could not be written, so that their records stayed.',
    labels: { topic: [] },
  }),
  processed: createCounter(registry, {
    name: 'dropbell_consumer_processed_total',
    help: 'Records whose output is acknowledged.',
    labels: { topic: [] },
  }),
  pauses: createCounter(registry, {
    name: 'dropbell_consumer_pauses_total',
    help: 'Pauses to wait for a dependency.',
    labels: { topic: [], dependency: [] },
  }),
  paused: new Gauge({
    name: 'dropbell_consumer_paused',
    help: '1 while the consumer waits for a dependency.',
    labelNames: ['topic'],
    registers: [registry],
  }),
  seconds: createHistogram(registry, {
    name: 'dropbell_consumer_batch_seconds',
    help: 'From the first try of a batch until its last record was settled.',
    labels: { topic: [] },
    buckets: secondsBuckets,
  }),
  records: createHistogram(registry, {
    name: 'dropbell_consumer_batch_records',
    help: 'Records that were handled together.',
    labels: { topic: [] },
    buckets: recordBuckets,
  }),
})
