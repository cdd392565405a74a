import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Seconds. prom-client's own begin at 5 ms, where a fast engine has answered ten times. */
export const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Seconds, for what passes through several services and queues. */
export const endToEndBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120] as const

/** A registry of its own for each app, passed to whatever measures, so that two apps in a process do not mix. */
export const createMetrics = ({ service }: { service: string }): Registry => {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Every value a label can take: known beforehand, hence bounded. */
export type LabelValues = Record<string, readonly string[]>

interface MetricOptions<Name extends string, L extends LabelValues> {
  name: Name
  help: string
  labels: L
}

type CounterName = `dropbell_${string}_total`
type HistogramName = `dropbell_${string}_${'seconds' | 'bytes' | 'records' | 'users'}`

/** All its series exist from the start: a rate over a series that appears with its first event misses that event. */
export const createCounter = <const L extends LabelValues>(
  registry: Registry,
  { name, help, labels }: MetricOptions<CounterName, L>,
): Counter<keyof L & string> => {
  const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers: [registry] })
  for (const series of labelCombinations(labels)) counter.inc(series, 0)
  return counter
}

export const createHistogram = <const L extends LabelValues>(
  registry: Registry,
  { name, help, labels, buckets }: MetricOptions<HistogramName, L> & { buckets: readonly number[] },
): Histogram<keyof L & string> => {
  const labelNames = Object.keys(labels)
  const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] })
  for (const series of labelCombinations(labels)) histogram.zero(series)
  return histogram
}

const labelCombinations = (labels: LabelValues): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (combinations, [label, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [label]: value }))),
    [{}],
  )
