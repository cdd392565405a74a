import type { PlannedTopic } from '@dropbell/schemas/topic-plan'
import type { Admin } from 'kafkajs'
import { readTopics } from './read-topics.ts'
import { CLEANUP_SETTING, compareTopics, type Drift, RETENTION_SETTING, type TopicComparison } from './topic-drift.ts'

interface TopicFacts {
  readonly partitions: number
  readonly replicationFactor: number
  /** Null where not age but a newer record of the same key makes room. */
  readonly retentionMs: number | null
}

/** Also what `topics list --json` prints, one per topic. */
export interface ListedTopic {
  readonly topic: string
  readonly state: TopicComparison['state']
  readonly declared: TopicFacts
  /** Null if the topic is missing. `records` counts transaction markers too. */
  readonly actual: (TopicFacts & { readonly records: number }) | null
  readonly drift: readonly Drift[]
}

export const listTopics = async (admin: Admin, plan: readonly PlannedTopic[]): Promise<ListedTopic[]> => {
  const listed: ListedTopic[] = []
  for (const { planned, actual, state, drift } of compareTopics(plan, await readTopics(admin, plan))) {
    const { topic, numPartitions, replicationFactor, configEntries } = planned
    const declared = Object.fromEntries(configEntries.map(({ name, value }) => [name, value]))
    listed.push({
      topic,
      state,
      declared: { partitions: numPartitions, replicationFactor, retentionMs: retentionOf(declared) },
      actual:
        actual === undefined
          ? null
          : {
              partitions: actual.partitions,
              replicationFactor: actual.replicationFactor,
              retentionMs: retentionOf(actual.config),
              records: await countRecords(admin, topic),
            },
      drift,
    })
  }
  return listed
}

const retentionOf = (config: Readonly<Record<string, string>>): number | null =>
  config[CLEANUP_SETTING] === 'compact' ? null : Number(config[RETENTION_SETTING])

const countRecords = async (admin: Admin, topic: string): Promise<number> => {
  const partitions = await admin.fetchTopicOffsets(topic)
  return partitions.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
}
