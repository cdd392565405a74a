import { setTimeout as wait } from 'node:timers/promises'
import type { PlannedTopic } from '@dropbell/schemas/topic-plan'
import { TransientError } from '@dropbell/shared/errors'
import type { Admin, ConfigResourceTypes, ITopicMetadata } from 'kafkajs'
import { protocolTypeOf } from '../kafka/kafka-failure.ts'
import type { TopicState } from './topic-drift.ts'

/** Kafka's number for topics; Node finds no named export for kafkajs's enum. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2

/** What the cluster has of the planned topics. */
export const readTopics = async (admin: Admin, plan: readonly PlannedTopic[]): Promise<Map<string, TopicState>> => {
  const found: ITopicMetadata[] = []
  for (const { topic } of plan) found.push(...(await readMetadata(admin, topic)))
  const configs = await readConfigs(
    admin,
    found.map(({ name }) => name),
  )
  return new Map(
    found.map(({ name, partitions }) => [
      name,
      {
        topic: name,
        partitions: partitions.length,
        // Partitions may differ while they are reassigned: the weakest one counts.
        replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        config: configs.get(name) ?? {},
      },
    ]),
  )
}

/** A new topic is known to the controller first; the broker that is asked learns of it a moment later. */
export const readTopicsOnceVisible = async (
  admin: Admin,
  plan: readonly PlannedTopic[],
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): Promise<Map<string, TopicState>> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const found = await readTopics(admin, plan)
    if (found.size === plan.length || performance.now() > deadline) return found
    await wait(100)
  }
}

/** One by one, since a list of all topics fails if any topic of the cluster, also of others, has a partition without a leader. */
const readMetadata = async (admin: Admin, topic: string): Promise<ITopicMetadata[]> => {
  try {
    return (await admin.fetchTopicMetadata({ topics: [topic] })).topics
  } catch (error) {
    if (protocolTypeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return []
    // kafkajs drops what the brokers answered if each of them failed, and trips over the missing result.
    if (error instanceof TypeError) throw new TransientError('KAFKA_UNAVAILABLE', `no broker could describe ${topic}`)
    throw error
  }
}

const readConfigs = async (admin: Admin, topics: readonly string[]): Promise<Map<string, Record<string, string>>> => {
  if (topics.length === 0) return new Map()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name })),
  })
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  )
}
