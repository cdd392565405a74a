import { randomUUID } from 'node:crypto'
import type { KafkaMessage } from 'kafkajs'
import { vi } from 'vitest'
import { kafkaConfig } from '../config/kafka.ts'
import { defineConfig, type Environment, loadConfig } from '../config.ts'
import { PermanentError } from '../errors.ts'
import { createKafka } from '../kafka/connect.ts'
import { type ConsumerOptions, createConsumer } from '../kafka/consumer.ts'
import { createPublisher } from '../kafka/publisher.ts'
import { createMetrics } from '../metrics.ts'
import { captureLog } from './capture-log.ts'

export type ReadRecord = KafkaMessage & { partition: number }

/** Topics of one test, with what looks into them. `close` ends everything that was made here. */
export const openKafkaBench = (env: Environment) => {
  const { log, lines } = captureLog('info')
  const connection = createKafka({ config: loadConfig(defineConfig(kafkaConfig), env), log, service: 'bench' })
  const kafka = connection.client
  const admin = kafka.admin()
  const publisher = createPublisher({ kafka, log })
  const cleanUps: (() => Promise<unknown>)[] = [
    () => connection.close(),
    () => admin.disconnect(),
    () => publisher.close(),
  ]
  const connected = admin.connect()

  const createTopic = async (topic: string, numPartitions = 1): Promise<string> => {
    await connected
    // kafkajs's own wait for leaders gives up when the broker does not know the topic yet.
    await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions, replicationFactor: 1 }] })
    const hasLeaders = async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      return topics[0]?.partitions.length === numPartitions && topics[0].partitions.every(({ leader }) => leader >= 0)
    }
    await vi.waitUntil(() => hasLeaders().catch(() => false), { timeout: 10_000 })
    return topic
  }

  return {
    kafka,
    admin,
    log,
    lines,
    publisher,
    createTopic,
    /** One with dead letters. */
    createTopics: async (numPartitions = 1): Promise<string> => {
      const topic = await createTopic(`bench-${randomUUID()}`, numPartitions)
      await createTopic(`${topic}.dlq`, numPartitions)
      return topic
    },
    publish: (topic: string, values: readonly string[], partition = 0) =>
      publisher.publish(values.map((value) => ({ topic, key: value, value: Buffer.from(value), partition }))),
    /** Everything that is in a topic now, partition by partition. */
    read: async (topic: string): Promise<ReadRecord[]> => {
      await connected
      const expected = (await admin.fetchTopicOffsets(topic)).reduce((sum, { high, low }) => sum + +high - +low, 0)
      const records: ReadRecord[] = []
      if (expected === 0) return records
      const consumer = kafka.consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 100 })
      try {
        await consumer.subscribe({ topics: [topic], fromBeginning: true })
        await new Promise<void>((resolve, reject) => {
          const eachMessage = async ({ message, partition }: { message: KafkaMessage; partition: number }) => {
            records.push({ ...message, partition })
            if (records.length === expected) resolve()
          }
          consumer.run({ eachMessage }).catch(reject)
        })
      } finally {
        await consumer.disconnect()
      }
      return records.sort((one, other) => one.partition - other.partition || +one.offset - +other.offset)
    },
    /** Where a group will go on, by partition; -1 where it has committed nothing. */
    committed: async (groupId: string, topic: string): Promise<number[]> => {
      await connected
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] })
      return (offsets?.partitions ?? [])
        .sort((one, other) => one.partition - other.partition)
        .map(({ offset }) => Number(offset))
    },
    members: async (groupId: string): Promise<number> => {
      await connected
      const { groups } = await admin.describeGroups([groupId])
      return groups[0]?.members.length ?? 0
    },
    /** A consumer of texts, where "poison" cannot be decoded, that retries quickly. It is not started. */
    consumer: (
      overrides: Pick<ConsumerOptions<string>, 'topic' | 'groupId' | 'handle'> & Partial<ConsumerOptions<string>>,
    ) => {
      const consumer = createConsumer<string>({
        kafka,
        publisher,
        log,
        registry: createMetrics({ service: 'bench' }),
        policy: { deadLetters: true, topicSuffix: '.dlq', maxRetries: 3, backoffMs: 20 },
        dependencies: {},
        maxBatchRecords: 100,
        sessionTimeoutMs: 6_000,
        drainTimeoutMs: 2_000,
        probeIntervalMs: 50,
        onFatal: () => {},
        decode: async (values) =>
          values.map((value) =>
            value === null || String(value) === 'poison'
              ? { ok: false, error: new PermanentError('POISON', 'not to be decoded') }
              : { ok: true, value: String(value) },
          ),
        ...overrides,
      })
      cleanUps.push(() => consumer.stop())
      return consumer
    },
    close: async () => {
      await connected.catch(() => {})
      for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp().catch(() => {})
    },
  }
}
