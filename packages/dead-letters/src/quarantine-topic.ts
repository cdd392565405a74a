import { setTimeout as wait } from 'node:timers/promises'
import { planTopics } from '@dropbell/schemas/topic-plan'
import { dlqNameOf, productInventoryTopic, quarantineNameOf } from '@dropbell/schemas/topics'
import type { Admin, ConfigResourceTypes } from 'kafkajs'

/** Kafka's number for topics; Node finds no named export for kafkajs's enum. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2

/** Kafka's number for what is set for the topic itself. */
const TOPIC_SOURCE = 1

/**
 * With the partitions, replicas and settings of the topic whose records it takes; with the settings of our own topics of
 * dead letters where its are not shown to this user. One that exists stays as it is.
 */
export const ensureQuarantineTopic = async (admin: Admin, dlqTopic: string): Promise<string> => {
  const topic = quarantineNameOf(dlqTopic)
  if (await isThere(admin, topic)) return topic
  const { topics } = await admin.fetchTopicMetadata({ topics: [dlqTopic] })
  const partitions = topics[0]?.partitions ?? []
  const replicationFactor = Math.min(...partitions.map(({ replicas }) => replicas.length))
  await admin.createTopics({
    waitForLeaders: false,
    topics: [
      {
        topic,
        numPartitions: partitions.length,
        replicationFactor,
        configEntries: (await settingsOf(admin, dlqTopic)) ?? plannedSettings(replicationFactor),
      },
    ],
  })
  // Brokers learn of it a moment later.
  for (let tries = 0; tries < 100 && !(await isThere(admin, topic)); tries++) await wait(100)
  return topic
}

type Settings = { name: string; value: string }[]

/** Undefined if this user may not see them: the right to read a topic does not include it. */
const settingsOf = async (admin: Admin, topic: string): Promise<Settings | undefined> => {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: topic }],
    })
    return (resources[0]?.configEntries ?? [])
      .filter(({ configSource }) => Number(configSource) === TOPIC_SOURCE)
      .map(({ configName, configValue }) => ({ name: configName, value: configValue }))
  } catch (error) {
    if (isDenied(error)) return undefined
    throw error
  }
}

const isDenied = (error: unknown): boolean =>
  error instanceof Error &&
  (('type' in error && String(error.type).endsWith('_AUTHORIZATION_FAILED')) || isDenied(error.cause))

const plannedSettings = (replicationFactor: number): Settings => {
  const ours = dlqNameOf(productInventoryTopic.name)
  return planTopics({ replicationFactor }).find(({ topic }) => topic === ours)?.configEntries ?? []
}

const isThere = async (admin: Admin, topic: string): Promise<boolean> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return topics.some(({ partitions }) => partitions.length > 0)
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE') return false
    throw error
  }
}
