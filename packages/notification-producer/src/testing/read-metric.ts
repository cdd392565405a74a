import type { Registry } from 'prom-client'

/** The samples of a metric that are not zero, without the service: `{ 'PRICE_DROP admitted': 2 }`. */
export const readMetric = async (registry: Registry, name: string): Promise<Record<string, number>> => {
  const metrics = await registry.getMetricsAsJSON()
  const samples = metrics.flatMap((metric) => metric.values as MetricSample[])
  const named = samples.some(({ metricName }) => metricName === name)
    ? samples.filter(({ metricName }) => metricName === name)
    : ((metrics.find((metric) => metric.name === name)?.values ?? []) as MetricSample[])
  return Object.fromEntries(
    named
      .filter(({ value }) => value !== 0)
      .map(({ labels: { service: _, ...labels }, value }) => [Object.values(labels).join(' '), value]),
  )
}

interface MetricSample {
  value: number
  labels: Record<string, string>
  /** Of a histogram: which of its three series. */
  metricName?: string
}
