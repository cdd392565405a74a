import { dlqStateTopic } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import type { TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { Treat } from './treatment.ts'

/** How many partitions each has. Rejects before anything is written if one cannot be a target. */
export const readTargets = async (
  reader: Pick<TopicReader, 'extentOf'>,
  topics: readonly string[],
): Promise<Map<string, number>> => {
  const partitions = new Map<string, number>()
  for (const topic of topics) {
    // The name comes from a header, and whoever writes dead letters should not write there through us.
    if (topic.startsWith('__') || topic === dlqStateTopic.name) {
      throw new PermanentError('DLQ_TARGET_REFUSED', `Nothing is replayed to ${topic}: it is not for events`)
    }
    partitions.set(topic, (await extentOf(reader, topic)).length)
  }
  return partitions
}

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

/** A partition that the target does not have is chosen by the key instead. */
export const withinPartitions =
  (treat: Treat, partitions: ReadonlyMap<string, number>): Treat =>
  (letter) => {
    const treatment = treat(letter)
    if (treatment.kind !== 'write') return treatment
    const { partition, ...record } = treatment.record
    const count = partitions.get(record.topic)
    const isThere = partition !== undefined && partition >= 0 && (count === undefined || partition < count)
    return partition === undefined || isThere ? treatment : { ...treatment, record }
  }
