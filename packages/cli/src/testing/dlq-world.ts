import { randomUUID } from 'node:crypto'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { planTopics } from '@dropbell/schemas/topic-plan'
import { dlqStateTopic } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import { toDeadLetter } from '@dropbell/shared/kafka/consumer/dead-letter'
import { Kafka, type KafkaMessage, logLevel, type Message, Partitioners } from 'kafkajs'
import { vi } from 'vitest'
import { runDropbell } from './cli-process.ts'
import { runInProcess } from './run-in-process.ts'

export type WrittenRecord = KafkaMessage & { partition: number }

/** A record as it was, before it failed. */
export interface FailedRecord {
  partition: number
  offset: number
  key: Buffer | null
  value: Buffer | null
  headers?: Message['headers']
  reason: string
  replayCount?: number
  timestamp?: number
}

/** A Kafka of its own: the topic of what was done has a fixed name. */
export const createDlqWorld = async () => {
  const stack = await startIsolatedStack({ engines: ['kafka', 'schema-registry'] })
  const env = stack.env()
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  // Idempotent: the leaders of a new topic come one by one, and what is sent meanwhile is sent again.
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: true,
    maxInFlightRequests: 1,
  })
  await producer.connect()

  const createTopic = async (
    topic: string,
    numPartitions = 6,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    await admin.createTopics({
      waitForLeaders: false,
      topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }],
    })
    const hasLeaders = async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      return topics[0]?.partitions.length === numPartitions && topics[0].partitions.every(({ leader }) => leader >= 0)
    }
    await vi.waitUntil(() => hasLeaders().catch(() => false), { timeout: 20_000 })
    return topic
  }
  const state = planTopics({ replicationFactor: 1 }).filter(({ topic }) => topic === dlqStateTopic.name)
  await admin.createTopics({ waitForLeaders: false, topics: state })

  return {
    stack,
    env,
    kafka,
    admin,
    createTopic,
    /** One with a topic of dead letters. */
    createTopics: async (
      numPartitions = 6,
      originSettings: Readonly<Record<string, string>> = {},
    ): Promise<{ origin: string; dlq: string }> => {
      const origin = await createTopic(`shop-${randomUUID().slice(0, 8)}.v1`, numPartitions, originSettings)
      return { origin, dlq: await createTopic(`${origin}.dlq`, numPartitions) }
    },
    send: (topic: string, messages: Message[]) => producer.send({ topic, acks: -1, messages }),
    /** As our consumers write them. */
    sendDeadLetters: async (origin: string, records: readonly FailedRecord[]): Promise<void> => {
      const messages = records.map((record) => ({
        ...toMessage(origin, record),
        ...(record.timestamp !== undefined && { timestamp: String(record.timestamp) }),
      }))
      for (let begin = 0; begin < messages.length; begin += 1_000) {
        await producer.send({ topic: `${origin}.dlq`, acks: -1, messages: messages.slice(begin, begin + 1_000) })
      }
    },
    /** What a consumer sees that reads what is committed, as kafkajs does unless told otherwise. */
    readCommitted: async (topic: string, wanted: number): Promise<WrittenRecord[]> => {
      const groupId = `look-${randomUUID()}`
      const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 })
      const found: WrittenRecord[] = []
      await consumer.connect()
      await consumer.subscribe({ topic, fromBeginning: true })
      await consumer.run({
        eachBatch: async ({ batch: { partition, messages } }) => {
          for (const message of messages) found.push({ ...message, partition })
        },
      })
      // A record at the end, behind which nothing can hide.
      const end = Buffer.from(`end ${groupId}`)
      const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition }) => partition)
      await producer.send({
        topic,
        acks: -1,
        messages: partitions.map((partition) => ({ partition, key: end, value: '' })),
      })
      const ends = () => found.filter(({ key }) => key?.equals(end)).length
      await vi.waitFor(
        () => {
          if (ends() < partitions.length) throw new Error(`${found.length} of ${wanted} read`)
        },
        { timeout: 60_000 },
      )
      await consumer.disconnect()
      return found.filter(({ key }) => !key?.toString().startsWith('end look-'))
    },
    /** As a process of its own, for whoever wants to end it. */
    spawn: (...args: string[]) => runDropbell(args, env),
    run: (...args: string[]) => runInProcess(args, { env }),
    /** With the answer as JSON. */
    ask: async (...args: string[]) => {
      const { code, stdout, stderr } = await runInProcess([...args, '--json'], { env })
      return { code, stderr, answer: JSON.parse(stdout || 'null') }
    },
    close: async (): Promise<void> => {
      await Promise.allSettled([producer.disconnect(), admin.disconnect()])
      await stack.reset()
    },
  }
}

export type DlqWorld = Awaited<ReturnType<typeof createDlqWorld>>

const toMessage = (origin: string, record: FailedRecord): Message => {
  const { partition, offset, key, value, headers = {}, reason, replayCount } = record
  const { topic: _topic, ...letter } = toDeadLetter(
    {
      topic: origin,
      partition,
      message: {
        key,
        value,
        headers: { ...headers, ...(replayCount !== undefined && { 'dropbell-replay-count': String(replayCount) }) },
        offset: String(offset),
        timestamp: '1700000000000',
        attributes: 0,
      } as KafkaMessage,
      groupId: 'shop-group',
      error: new PermanentError(reason, `it is about ${reason}`),
      attempts: 4,
    },
    '.dlq',
  )
  return letter as Message
}
