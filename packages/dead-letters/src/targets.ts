import { DEFAULT_DLQ_SUFFIX, dlqStateTopic, QUARANTINE_SUFFIX } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import type { TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { Partitioners } from 'kafkajs'
import { isDlqName } from './dlq-names.ts'
import type { PlacedRecord, Treat } from './treatment.ts'

export interface TargetRules {
  /** What the operator named; any other topic is what a header says, and whoever wrote that should not write through us. */
  readonly to?: string
  readonly dlqSuffix?: string
}

/** How many partitions each has. Rejects before anything is written if one cannot be a target. */
export const readTargets = async (
  reader: Pick<TopicReader, 'extentOf'>,
  topics: readonly string[],
  rules: TargetRules = {},
): Promise<Map<string, number>> => {
  const partitions = new Map<string, number>()
  for (const topic of topics) {
    requireForEvents(topic, rules)
    partitions.set(topic, (await extentOf(reader, topic)).length)
  }
  return partitions
}

const requireForEvents = (topic: string, { to, dlqSuffix = DEFAULT_DLQ_SUFFIX }: TargetRules): void => {
  // Its name is not repeated: it may be anything.
  if (!/^[\w.-]{1,249}$/.test(topic)) {
    throw refused('a topic that a header names in letters Kafka does not allow')
  }
  if (topic.startsWith('__') || topic === dlqStateTopic.name) throw refused(`${topic}: it is not for events`)
  if (topic !== to && isKeptByTools(topic, dlqSuffix)) {
    throw refused(`${topic} because a header says so: it is not for events. Name it as the target if it is meant`)
  }
}

const refused = (what: string): PermanentError =>
  new PermanentError('DLQ_TARGET_REFUSED', `Nothing is replayed to ${what}`)

/** Such as `_schemas`, where a registry keeps what it knows, and what is for dead letters. */
const isKeptByTools = (topic: string, dlqSuffix: string): boolean =>
  topic.startsWith('_') || isDlqName(topic, dlqSuffix) || isDlqName(topic) || topic.endsWith(QUARANTINE_SUFFIX)

const extentOf = async (reader: Pick<TopicReader, 'extentOf'>, topic: string) => {
  try {
    return await reader.extentOf(topic)
  } catch (cause) {
    const type = cause instanceof Error && 'type' in cause ? cause.type : undefined
    if (type !== 'UNKNOWN_TOPIC_OR_PARTITION' && type !== 'INVALID_TOPIC_EXCEPTION') throw cause
    const message = `Dead letters would go back to ${topic}, which does not exist; another topic can be named as their target`
    throw new PermanentError('DLQ_TARGET_MISSING', message, { cause })
  }
}

/** Each to a partition that its topic has: its own, or the one that Kafka's default partitioner gives its key. */
export const withinPartitions = (treat: Treat, partitions: ReadonlyMap<string, number>): Treat<PlacedRecord> => {
  const choose = Partitioners.DefaultPartitioner()
  return (letter) => {
    const treatment = treat(letter)
    if (treatment.kind !== 'write') return treatment
    const { record, action } = treatment
    const { topic, partition } = record
    const count = partitions.get(topic)
    if (count === undefined && action === 'replayed') throw refused(`${topic}: it was not looked at before`)
    const isThere = partition !== undefined && partition >= 0 && (count === undefined || partition < count)
    if (isThere) return { ...treatment, record: { ...record, partition } }
    const partitionMetadata = Array.from({ length: count ?? 1 }, (_, partitionId) => ({
      ...{ partitionId, leader: 0, partitionErrorCode: 0 },
      ...{ replicas: [], isr: [] },
    }))
    const { key, value } = record
    return {
      ...treatment,
      record: { ...record, partition: choose({ topic, partitionMetadata, message: { key, value } }) },
    }
  }
}
