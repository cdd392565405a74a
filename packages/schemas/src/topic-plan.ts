import { DEFAULT_DLQ_RETENTION_MS, DEFAULT_DLQ_SUFFIX, dlqNameOf, INTERNAL_TOPICS, TOPICS } from './topics.ts'

export interface TopicPlanOptions {
  readonly replicationFactor: number
  /** By topic name. What is not named keeps its default. */
  readonly retentionMs?: Readonly<Record<string, number>>
  readonly dlqRetentionMs?: number
  readonly dlqSuffix?: string
}

/** In the form kafkajs' `admin.createTopics` takes. */
export interface PlannedTopic {
  readonly topic: string
  readonly numPartitions: number
  readonly replicationFactor: number
  readonly configEntries: { readonly name: string; readonly value: string }[]
}

/** Every topic that has to exist, those of dead letters and our own included. */
export function planTopics(options: TopicPlanOptions): PlannedTopic[] {
  const { replicationFactor, dlqRetentionMs = DEFAULT_DLQ_RETENTION_MS, dlqSuffix = DEFAULT_DLQ_SUFFIX } = options
  requireTopics(Object.keys(options.retentionMs ?? {}))
  const insync = { name: 'min.insync.replicas', value: String(minInsyncReplicas(replicationFactor)) }
  const plan = (
    topic: string,
    numPartitions: number,
    retentionMs: number,
    more: PlannedTopic['configEntries'] = [],
  ): PlannedTopic => ({
    topic,
    numPartitions,
    replicationFactor,
    configEntries: [
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'retention.ms', value: String(retentionMs) },
      insync,
      ...more,
    ],
  })

  const ofContracts = TOPICS.flatMap(({ name, partitions, retentionMs, compression }) => [
    plan(
      name,
      partitions,
      options.retentionMs?.[name] ?? retentionMs,
      compression ? [{ name: 'compression.type', value: compression }] : [],
    ),
    // As many partitions as the original: a dead letter keeps its partition.
    plan(dlqNameOf(name, dlqSuffix), partitions, dlqRetentionMs, [roomForHeaders]),
  ])
  const internal = INTERNAL_TOPICS.map(({ name, partitions, cleanup }) => ({
    topic: name,
    numPartitions: partitions,
    replicationFactor,
    configEntries: [{ name: 'cleanup.policy', value: cleanup }, insync],
  }))
  return [...ofContracts, ...internal]
}

/** The largest record that the brokers' default admits, and what its dead letter says about it, have to fit. */
const roomForHeaders = { name: 'max.message.bytes', value: String(2 * 1024 * 1024) }

/** With three replicas an acknowledged record survives one lost broker, and one lost broker does not stop writing. */
const minInsyncReplicas = (replicationFactor: number): number => (replicationFactor >= 3 ? 2 : 1)

function requireTopics(names: readonly string[]): void {
  const unknown = names.filter((name) => !TOPICS.some((topic) => topic.name === name))
  if (unknown.length > 0) throw new RangeError(`Retention is set for topics that do not exist: ${unknown.join(', ')}`)
}
