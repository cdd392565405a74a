import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster, Kafka, KafkaMessage, KafkaConfig as KafkaSettings } from 'kafkajs'
import { TransientError } from '../errors.ts'
import { type AbortedTransaction, committedOnly, type FetchedMessage } from './topic-reader/committed-only.ts'
import { isolation, type OffsetsBroker, openCluster } from './topic-reader/open-cluster.ts'

/** Offsets are whole numbers here; a partition would take centuries to outgrow them. */
export interface PartitionRange {
  readonly partition: number
  readonly from: number
  /** The first that is not read. */
  readonly until: number
}

export interface PartitionExtent extends PartitionRange {
  /** Where the next record will be written. `until` stays behind it for as long as a transaction is open. */
  readonly end: number
}

/** What one request brought; no records if what it brought were markers or aborted. */
export interface ReadPart {
  readonly partition: number
  readonly messages: readonly KafkaMessage[]
  /** Where this partition goes on. */
  readonly position: number
}

/** Reads ranges of topics without a group: nothing is committed, and nobody else notices. */
export interface TopicReader {
  /** What is readable now: committed and not yet deleted. Rejects with UNKNOWN_TOPIC_OR_PARTITION if there is no such topic. */
  extentOf(topic: string): Promise<PartitionExtent[]>
  /** The first record of each partition that is not older; its end if all are. */
  offsetsAt(topic: string, timestampMs: number): Promise<Map<number, number>>
  /**
   * The partitions take turns, so that order holds within each. It ends when all of them are read to their `until`,
   * whatever lies there: a record, a marker, or a gap.
   */
  read(topic: string, ranges: readonly PartitionRange[]): AsyncGenerator<ReadPart>
  close(): Promise<void>
}

interface FetchedPartition {
  errorCode: number
  lastStableOffset: string
  messages: FetchedMessage[]
  abortedTransactions: AbortedTransaction[] | null
}

const earliest = -2
const latest = -1
/**
 * Of one partition. A batch that is larger comes whole, so that a reader never stands still. How many records a request
 * brings depends on their size and on how well they are compressed; these keep it to some thousands, whatever they are.
 */
const requestBytes = { least: 16 * 1024, first: 64 * 1024, most: 1024 * 1024 }
const fewRecords = 500
const manyRecords = 2_000
const retryWaitsMs = [100, 300, 1_000, 2_000, 4_000]

export const createTopicReader = (kafka: Kafka, settings: KafkaSettings): TopicReader => {
  const cluster = openCluster(kafka, settings)
  let connected: Promise<void> | undefined
  let maxBytes = requestBytes.first

  const knowTopic = async (topic: string): Promise<number[]> => {
    connected ??= cluster.connect()
    await connected
    await cluster.addTargetTopic(topic)
    return cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)
  }

  const offsetsOf = async (topic: string, timestamp: number, isolationLevel: number): Promise<Map<number, number>> => {
    const byLeader = Object.entries(cluster.findLeaderForPartitions(topic, await knowTopic(topic)))
    const answers = await Promise.all(
      byLeader.map(async ([nodeId, partitions]) => {
        const broker = (await cluster.findBroker({ nodeId })) as unknown as OffsetsBroker
        const asked = partitions.map((partition) => ({ partition, timestamp }))
        return broker.listOffsets({ isolationLevel, topics: [{ topic, partitions: asked }] })
      }),
    )
    const found = answers.flatMap(({ responses }) => responses.flatMap(({ partitions }) => partitions))
    return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]))
  }

  const extentOf = (topic: string): Promise<PartitionExtent[]> =>
    retrying(cluster, async () => {
      await knowTopic(topic)
      const [low, stable, high] = await Promise.all([
        offsetsOf(topic, earliest, isolation.committed),
        offsetsOf(topic, latest, isolation.committed),
        offsetsOf(topic, latest, isolation.uncommitted),
      ])
      return [...low]
        .map(([partition, from]) => {
          const until = stable.get(partition) ?? from
          return { partition, from, until, end: high.get(partition) ?? until }
        })
        .sort((one, other) => one.partition - other.partition)
    })

  const fetch = async (topic: string, { partition, from, until }: PartitionRange): Promise<ReadPart> => {
    const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))
    if (leader === undefined) throw new TransientError('KAFKA_UNAVAILABLE', `partition ${partition} has no leader`)
    const broker = await cluster.findBroker({ nodeId: leader })
    const { responses, clientSideThrottleTime } = await broker.fetch({
      isolationLevel: isolation.committed,
      maxWaitTime: 500,
      maxBytes,
      // One partition: of several, one that is empty could as well be one that had no room in the answer.
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(from), maxBytes }] }],
    })
    const fetched = responses[0]?.partitions[0] as FetchedPartition | undefined
    if (fetched === undefined) {
      // What a broker answers to whom it throttles.
      await wait(clientSideThrottleTime ?? 100)
      return { partition, messages: [], position: from }
    }
    // A broker that has only just become the leader may not know yet how far others have read: nothing is not the end.
    if (fetched.messages.length === 0 && Number(fetched.lastStableOffset) <= from) {
      throw new TransientError(
        'KAFKA_UNAVAILABLE',
        `partition ${partition} of ${topic} is not readable up to its end yet`,
      )
    }
    if (fetched.messages.length > manyRecords) maxBytes = Math.max(maxBytes / 2, requestBytes.least)
    if (fetched.messages.length < fewRecords) maxBytes = Math.min(maxBytes * 2, requestBytes.most)
    const last = fetched.messages.at(-1)
    const isWanted = ({ offset }: KafkaMessage): boolean => Number(offset) >= from && Number(offset) < until
    return {
      partition,
      messages: committedOnly(fetched.messages, fetched.abortedTransactions).filter(isWanted),
      // A batch whose records were all compacted away says nothing of its length: on in small steps.
      position: Math.max(from + 1, last === undefined ? 0 : Number(last.offset) + 1),
    }
  }

  const fetchOrSkip = (topic: string, range: PartitionRange): Promise<ReadPart> =>
    retrying(cluster, async () => {
      try {
        return await fetch(topic, range)
      } catch (error) {
        if (typeOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error
        // Retention was faster.
        const low = (await offsetsOf(topic, earliest, isolation.committed)).get(range.partition) ?? range.until
        return { partition: range.partition, messages: [], position: Math.max(low, range.from + 1) }
      }
    })

  async function* read(topic: string, ranges: readonly PartitionRange[]): AsyncGenerator<ReadPart> {
    await knowTopic(topic)
    const begin = (range: PartitionRange) => ({ range, part: settled(fetchOrSkip(topic, range)) })
    const waiting = ranges.filter(({ from, until }) => from < until)
    // One is on its way while another is looked at.
    let next = waiting.length > 0 ? begin(waiting.shift() as PartitionRange) : undefined
    while (next !== undefined) {
      const { range, part } = next
      const fetched = await part()
      if (fetched.position < range.until) waiting.push({ ...range, from: fetched.position })
      const following = waiting.shift()
      next = following && begin(following)
      yield fetched
    }
  }

  return {
    extentOf,
    offsetsAt: async (topic, timestampMs) => {
      const found = await retrying(cluster, () => offsetsOf(topic, timestampMs, isolation.committed))
      const extent = await extentOf(topic)
      return new Map(
        extent.map(({ partition, until }) => {
          const offset = found.get(partition) ?? -1
          return [partition, offset < 0 ? until : offset]
        }),
      )
    },
    read,
    close: async () => {
      await connected?.catch(() => {})
      await cluster.disconnect()
    },
  }
}

/** A request ahead may fail while nobody waits for it yet. */
const settled = <T>(work: Promise<T>): (() => Promise<T>) => {
  work.catch(() => {})
  return () => work
}

const typeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'type' in error ? String(error.type) : undefined

const isRetriable = (error: unknown): boolean =>
  error instanceof TransientError || (error instanceof Error && 'retriable' in error && error.retriable === true)

/** Leaders move and connections break. A topic that is unknown may be new, but is most often not there. */
const retrying = async <T>(cluster: Cluster, work: () => Promise<T>): Promise<T> => {
  for (const waitMs of retryWaitsMs) {
    try {
      return await work()
    } catch (error) {
      if (!isRetriable(error) || typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') throw error
      await wait(waitMs)
      // Also connects again. If it fails, the next try says so.
      await cluster.refreshMetadata().catch(() => {})
    }
  }
  return work()
}
