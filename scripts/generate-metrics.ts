import { createHistoryMetrics } from '@dropbell/history-indexer/history-metrics'
import { createInventoryMetrics } from '@dropbell/inventory-consumer/inventory-metrics'
import { createNotificationMetrics } from '@dropbell/notification-producer/notification-metrics'
import { createFcmMetrics } from '@dropbell/push-sender/fcm/fcm-metrics'
import { createProviderMetrics } from '@dropbell/push-sender/provider-metrics'
import { createSenderMetrics } from '@dropbell/push-sender/sender-metrics'
import { createSchedulerMetrics } from '@dropbell/recommendation-scheduler/scheduler-metrics'
import { createDependencyCheck } from '@dropbell/shared/dependency-check'
import { createConsumerMetrics } from '@dropbell/shared/kafka/consumer/consumer-metrics'
import { createPacingMetrics } from '@dropbell/shared/kafka/pacing'
import { Registry } from 'prom-client'
import { writeOrCheck } from './write-or-check.ts'

interface Section {
  title: string
  register(registry: Registry): unknown
}

/** Made by the very functions that make them in the services. */
const sections: Section[] = [
  { title: 'Every service', register: (registry) => createDependencyCheck({ registry, dependencies: {} }) },
  {
    title: 'Every consumer of a topic',
    register: (registry) => createConsumerMetrics({ registry, topic: '', dependencies: [] }),
  },
  { title: 'Whoever produces notifications', register: createNotificationMetrics },
  { title: 'Whoever is paced by a consumer group', register: createPacingMetrics },
  { title: 'inventory-consumer', register: createInventoryMetrics },
  { title: 'push-sender', register: createSenderMetrics },
  { title: 'push-sender: Firebase Cloud Messaging', register: createFcmMetrics },
  { title: 'push-sender: other channels', register: createProviderMetrics },
  { title: 'history-indexer', register: createHistoryMetrics },
  { title: 'recommendation-scheduler', register: (registry) => createSchedulerMetrics(registry) },
]

interface DescribedMetric {
  name: string
  help: string
  labelNames: string[]
  constructor: { name: string }
}

const tableOf = ({ title, register }: Section): string => {
  const registry = new Registry()
  register(registry)
  const rows = (registry.getMetricsAsArray() as unknown as DescribedMetric[]).map(
    (metric) =>
      `| \`${metric.name}\` | ${metric.constructor.name.toLowerCase()} | ${metric.labelNames.filter((label) => label !== 'le').join(', ')} | ${metric.help} |`,
  )
  return `## ${title}\n\n| metric | kind | labels | meaning |\n|---|---|---|---|\n${rows.sort().join('\n')}`
}

await writeOrCheck({
  'docs/metrics.md': `# Metrics

Prometheus metrics at \`/metrics\` of every service's operations port, beside Node's own process metrics. Every series carries the
label \`service\`; label values are bounded, and all series exist from the start. This page is generated from the code:
\`npx pnpm generate\`.

${sections.map(tableOf).join('\n\n')}
`,
})
