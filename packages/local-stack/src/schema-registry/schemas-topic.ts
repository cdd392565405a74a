import { withDeadline } from '@dropbell/shared/with-deadline'
import type { Kafka, Producer } from 'kafkajs'
import { ensureSchemasTopic } from './ensure-schemas-topic.ts'
import { storeFailed } from './errors.ts'
import { encodeRecord, type RegistryRecord } from './records.ts'
import { createTopicReader, type TopicReaderOptions } from './topic-reader.ts'

export interface SchemasTopic {
  /** Waits until everything that is in the topic now has been applied. */
  catchUp(deadline: number): Promise<void>
  /** Writes a record and returns after it was acknowledged, read back and applied. */
  append(record: RegistryRecord, deadline: number): Promise<void>
  close(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 5_000
/** Shorter than a request may take, so that a dead connection costs one retry and not the whole deadline. */
const ACK_TIMEOUT_MS = 5_000

/** The log the registry's state is folded from: one partition, compacted, read from its start to its moving end. */
export const openSchemasTopic = async (options: TopicReaderOptions): Promise<SchemasTopic> => {
  const { kafka, topic } = options
  const admin = kafka.admin()
  const reader = createTopicReader(options)
  let producer: Promise<Producer> | undefined

  /**
   * After a failed send nobody knows whether the record arrived, and an idempotent producer's sequence may be broken.
   * Its successor starts with a producer id of its own.
   */
  const dropProducer = async () => {
    const dropped = producer
    producer = undefined
    await dropped?.then((broken) => broken.disconnect()).catch(() => undefined)
  }

  const append = async (record: RegistryRecord, deadline: number) => {
    try {
      producer ??= connectProducer(kafka)
      const offset = await before(deadline, send(await before(deadline, producer), topic, record))
      await before(deadline, reader.reached(offset))
    } catch (cause) {
      void dropProducer()
      throw storeFailed(`writing to ${topic} failed: ${reasonOf(cause)}`, { cause })
    }
  }

  const endOffset = async (deadline: number): Promise<bigint> => {
    try {
      const [partition] = await before(deadline, admin.fetchTopicOffsets(topic))
      return BigInt(partition?.high ?? 0)
    } catch (cause) {
      throw storeFailed(`reading ${topic} to its end failed: ${reasonOf(cause)}`, { cause })
    }
  }

  const catchUp = async (deadline: number) => {
    // Compaction leaves gaps: the last offset may belong to no record. One written now has an offset to wait for.
    if ((await endOffset(deadline)) - 1n > reader.position()) await append({ keytype: 'NOOP' }, deadline)
  }

  const disconnect = async () => {
    await dropProducer()
    await reader.stop()
    // Only tidiness: the broker forgets an empty group without offsets by itself.
    await admin.deleteGroups([reader.groupId]).catch(() => undefined)
    await admin.disconnect()
  }

  const close = () => before(Date.now() + STOP_TIMEOUT_MS, disconnect())

  try {
    await admin.connect()
    await ensureSchemasTopic(admin, topic)
    await reader.start()
    await append({ keytype: 'NOOP' }, Date.now() + START_TIMEOUT_MS)
    return { append, catchUp, close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

const connectProducer = async (kafka: Kafka): Promise<Producer> => {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 },
  })
  await producer.connect()
  return producer
}

const send = async (producer: Producer, topic: string, record: RegistryRecord): Promise<bigint> => {
  const messages = [{ ...encodeRecord(record), partition: 0 }]
  const [written] = await producer.send({ topic, messages, acks: -1, timeout: ACK_TIMEOUT_MS })
  if (written?.baseOffset === undefined || written.baseOffset === '-1') throw new Error('no offset was acknowledged')
  return BigInt(written.baseOffset)
}

const before = <T>(deadline: number, work: Promise<T>): Promise<T> =>
  withDeadline(work, Math.max(0, deadline - Date.now()), () => new Error('timed out'))

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
