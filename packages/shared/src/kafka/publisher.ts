import type { Kafka } from 'kafkajs'
import { PermanentError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { withDeadline } from '../with-deadline.ts'
import type { RecordHeaders } from './headers.ts'
import { isTooLarge, publishFailure } from './publisher/publish-failure.ts'
import { createRenewableProducer } from './publisher/renewable-producer.ts'
import { requestParts } from './publisher/request-parts.ts'
import { createStablePartitioner } from './publisher/stable-partitioner.ts'
import { requireEveryPartition, toTopicMessages } from './publisher/topic-messages.ts'

export interface OutgoingRecord {
  topic: string
  key: string | Buffer | null
  value: Buffer | null
  headers?: RecordHeaders
  /** Chosen by the key if left out, as Java's default partitioner does. */
  partition?: number
}

export interface Publisher {
  /** Optional: the first publish connects too. */
  connect(): Promise<void>
  /**
   * Resolves when all in-sync replicas have every record. Rejects with PUBLISH_FAILED (transient, dependency kafka) or
   * RECORD_TOO_LARGE (permanent); some of the records may have been written then.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>
  /** Waits for what is under way. */
  close(): Promise<void>
}

export interface PublisherOptions {
  kafka: Kafka
  log: Logger
  /** What may be on its way to one topic at a time; what is beyond waits. */
  maxInFlightRecords?: number
  /** Stays below the brokers' default `message.max.bytes` of 1 MiB. */
  maxInFlightBytes?: number
  /** How long one request may take with all its retries. Less than the session of a consumer that waits for it. */
  timeoutMs?: number
}

// Enough of them to outlast a broker's restart; `timeoutMs` is what ends them.
const retry = { initialRetryTime: 100, maxRetryTime: 2_000, factor: 0.2, multiplier: 2, retries: 8 }

/**
 * Records of one topic are sent one request at a time, in the order of the calls: a second request while the first is
 * being retried would get its sequence numbers (see `createRenewableProducer`). Topics do not wait for each other.
 */
export const createPublisher = (options: PublisherOptions): Publisher => {
  const { kafka, log, maxInFlightRecords = 1_000, maxInFlightBytes = 768 * 1024, timeoutMs = 15_000 } = options
  const partitioner = createStablePartitioner()
  const producer = createRenewableProducer(kafka, {
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: partitioner.create,
    retry,
  })
  const lanes = new Map<string, Promise<unknown>>()
  let closed: Promise<void> | undefined

  const request = async (records: readonly OutgoingRecord[]): Promise<void> => {
    const deadline = performance.now() + timeoutMs
    const inTime = <T>(work: Promise<T>): Promise<T> =>
      withDeadline(work, deadline - performance.now(), () => new Error(`no acknowledgement within ${timeoutMs} ms`))
    const topicMessages = toTopicMessages(records)
    const lease = await inTime(producer.lease())
    try {
      const acknowledged = await inTime(lease.send(topicMessages))
      requireEveryPartition(topicMessages, acknowledged, partitioner.partitionOf)
    } catch (error) {
      lease.retire()
      throw error
    }
  }

  const send = async (records: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await request(records)
    } catch (error) {
      log.warn({ err: error, records: records.length }, 'publish failed')
      // A broker may allow less than we assume. One record cannot be divided; whose fault it is is known then.
      if (!isTooLarge(error) || records.length === 1) throw publishFailure(error)
      const middle = Math.ceil(records.length / 2)
      await send(records.slice(0, middle))
      await send(records.slice(middle))
    }
  }

  const sendAll = async (records: readonly OutgoingRecord[]): Promise<void> => {
    const bounds = { maxRecords: maxInFlightRecords, maxBytes: maxInFlightBytes }
    for (const part of requestParts(records, bounds)) await send(part)
  }

  return {
    connect: async () => {
      await producer.lease().catch((error) => {
        throw publishFailure(error)
      })
    },
    publish: async (records) => {
      if (closed !== undefined) throw new PermanentError('PUBLISHER_CLOSED', 'the publisher is closed')
      if (records.length === 0) return
      const topics = [...new Set(records.map(({ topic }) => topic))]
      const turn = Promise.all(topics.map((topic) => lanes.get(topic)))
      const sent = turn.then(() => sendAll(records))
      // Whoever is next waits for the end of this one, however it ends.
      const ended = sent.catch(() => {})
      for (const topic of topics) lanes.set(topic, ended)
      await sent
    },
    close: () => {
      closed ??= Promise.all(lanes.values()).then(() => producer.close())
      return closed
    },
  }
}
