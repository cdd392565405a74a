import type { PartitionRange, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { type KafkaMessage, Partitioners } from 'kafkajs'
import type { Coverage } from './facts.ts'

export interface ScanRequest {
  readonly topic: string
  /** Only where these keys go; all partitions if left out. */
  readonly keys?: readonly string[] | undefined
  /** Nothing that was written before. */
  readonly since: number
  /** More records than this are not looked at; the newest are. */
  readonly mostRecords: number
  readonly onProgress?: ((topic: string, looked: number, of: number) => void) | undefined
}

export type Scan = (request: ScanRequest, look: (message: KafkaMessage, partition: number) => void) => Promise<Coverage>

/**
 * Looks at the records of a topic that are there when it begins, and keeps none. A topic that does not exist has none.
 */
export const createScan =
  (reader: TopicReader): Scan =>
  async (request, look) => {
    const { topic, keys, since, mostRecords, onProgress } = request
    const extent = await unlessMissing(reader.extentOf(topic))
    if (extent === undefined) return { since, cut: false }
    const wanted = keys && new Set(keys.map((key) => partitionOf(topic, key, extent.length)))
    const beginnings = await reader.offsetsAt(topic, since)
    const ranges = extent
      .filter(({ partition }) => wanted?.has(partition) ?? true)
      .map(({ partition, from, until }) => ({
        partition,
        from: Math.max(from, beginnings.get(partition) ?? from),
        until,
      }))
    const total = ranges.reduce((sum, range) => sum + sizeOf(range), 0)
    const bounded = newestOf(ranges, mostRecords)
    const most = Math.min(total, mostRecords)
    let looked = 0
    for await (const { partition, messages } of reader.read(topic, bounded)) {
      for (const message of messages) look(message, partition)
      looked += messages.length
      onProgress?.(topic, looked, most)
    }
    return { since, cut: total > mostRecords }
  }

const sizeOf = ({ from, until }: PartitionRange): number => Math.max(0, until - from)

/** Of each partition the same share, so that all begin at about the same time. */
export const newestOf = (ranges: readonly PartitionRange[], most: number): PartitionRange[] => {
  const total = ranges.reduce((sum, range) => sum + sizeOf(range), 0)
  if (total <= most) return [...ranges]
  return ranges.map((range) => ({ ...range, from: range.until - Math.floor((sizeOf(range) * most) / total) }))
}

const choosePartition = Partitioners.DefaultPartitioner()

/** As our publishers and Java's choose it. */
export const partitionOf = (topic: string, key: string, partitions: number): number => {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => {
    return { partitionId, partitionErrorCode: 0, leader: 0, replicas: [], isr: [] }
  })
  return choosePartition({ topic, partitionMetadata, message: { key, value: null } })
}

const unlessMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION') return undefined
    throw error
  }
}
