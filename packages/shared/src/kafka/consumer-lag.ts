import type { Admin, Kafka } from 'kafkajs'
import { TransientError } from '../errors.ts'
import { createRenewableAdmin } from './renewable-admin.ts'

export interface ConsumerLag {
  /** Records of the topic that the group has not committed yet. Rejects with CONSUMER_LAG_UNKNOWN (transient, kafka). */
  read(): Promise<number>
  close(): Promise<void>
}

export interface ConsumerLagOptions {
  kafka: Kafka
  groupId: string
  topic: string
  /** Whether a group that has no member, or does not exist, counts as infinitely far behind. */
  requireConsumer: boolean
  /** A consumer that waits for the answer is still within its session then; after a failure the connection is replaced. */
  timeoutMs?: number
}

/**
 * By what the group has committed, whether or not it has members now: a stopped consumer is as far behind as it was. A
 * group that never committed anything is not behind, for nobody knows whether there will ever be one.
 */
export const createConsumerLag = (options: ConsumerLagOptions): ConsumerLag => {
  const { kafka, groupId, topic, requireConsumer, timeoutMs = 5_000 } = options
  const admin = createRenewableAdmin(kafka, { timeoutMs })
  const look = async (admin: Admin): Promise<number> => {
    if (requireConsumer) {
      const { groups } = await admin.describeGroups([groupId])
      if ((groups[0]?.members.length ?? 0) === 0) return Number.POSITIVE_INFINITY
    }
    const [[committed], ends] = await Promise.all([
      admin.fetchOffsets({ groupId, topics: [topic] }),
      admin.fetchTopicOffsets(topic),
    ])
    return lagOf(committed?.partitions ?? [], ends)
  }
  return {
    read: async () => {
      try {
        return await admin.use(look)
      } catch (cause) {
        const message = `How far ${groupId} is behind in ${topic} could not be read`
        throw new TransientError('CONSUMER_LAG_UNKNOWN', message, { cause, dependency: 'kafka' })
      }
    },
    close: admin.close,
  }
}

interface Committed {
  partition: number
  /** -1 where nothing is committed. */
  offset: string
}

interface PartitionEnds {
  partition: number
  low: string
  high: string
}

export const lagOf = (committed: readonly Committed[], ends: readonly PartitionEnds[]): number => {
  const offsets = new Map(committed.map(({ partition, offset }) => [partition, Number(offset)]))
  if (![...offsets.values()].some((offset) => offset >= 0)) return 0
  return ends.reduce((lag, { partition, low, high }) => {
    // What was deleted unread is not waited for, and a partition without an offset is read from its beginning.
    const next = Math.max(offsets.get(partition) ?? -1, Number(low))
    return lag + Math.max(0, Number(high) - next)
  }, 0)
}
