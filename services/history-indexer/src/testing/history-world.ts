import { randomUUID } from 'node:crypto'
import type { Stack } from '@dropbell/local-stack/stack'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { HistoryDocument } from '@dropbell/schemas/history/history-document'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { historyTemplate } from '@dropbell/schemas/history/history-template'
import { readHistory } from '@dropbell/schemas/history/read-history'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { dlqNameOf, notificationOutcomeTopic, subjectOf } from '@dropbell/schemas/topics'
import { loadConfig } from '@dropbell/shared/config'
import { createShutdown } from '@dropbell/shared/shutdown'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Client } from '@elastic/elasticsearch'
import { Kafka, type KafkaMessage, logLevel, type Message, Partitioners } from 'kafkajs'
import { expect, vi } from 'vitest'
import { startApp } from '../app.ts'
import { historyIndexerSchema } from '../service-config.ts'

/** A service with topic, group and alias of its own, on the stack of the test run unless it is given another. */
export const createHistoryWorld = async (stack?: Stack) => {
  const env = { ...(stack?.env() ?? testEnv()) } as Record<string, string>
  const name = `history-${randomUUID().slice(0, 8)}`
  const input = { topic: `outcome-${name}`, groupId: name }
  const client = new Client({ node: env.ELASTICSEARCH_URL as string, requestTimeout: 10_000 })
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const codec = createCodec({ topic: notificationOutcomeTopic, registry })
  const admin = kafka.admin()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await Promise.all([admin.connect(), producer.connect(), registerSchemas(registry)])
  await createTopics(admin, [input.topic, dlqNameOf(input.topic)])
  await applyHistoryIndices(client, name)
  const shutdowns: (() => Promise<unknown>)[] = []

  const deadLetters: (KafkaMessage & { partition: number })[] = []
  const reader = kafka.consumer({ groupId: `${name}-dlq`, maxWaitTimeInMs: 100 })
  await reader.connect()
  await reader.subscribe({ topic: dlqNameOf(input.topic), fromBeginning: true })
  await reader.run({ eachMessage: async ({ message, partition }) => void deadLetters.push({ ...message, partition }) })

  const send = (messages: Message[]) => producer.send({ topic: input.topic, acks: -1, messages })
  const search = async (): Promise<HistoryDocument[]> => {
    await client.indices.refresh({ index: name })
    return readHistory(client, { alias: name, limit: 10_000 })
  }

  return {
    ...{ env, name, input, client, admin, codec, send, search, deadLetters },

    start: async () => {
      const captured = captureLog()
      const config = loadConfig(historyIndexerSchema, {
        ...env,
        ...{ NOTIFICATION_HISTORY_INDEX: name, OPERATIONS_PORT: '0' },
      })
      const shutdown = createShutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, log: captured.log })
      shutdowns.push(shutdown.stop)
      const context = { config, log: captured.log, shutdown, fail: () => {} }
      const { operations } = await startApp(context, { input })
      const get = (path: string) => fetch(`http://${operations.host}:${operations.port}${path}`)
      return { ...{ get, stop: shutdown.stop }, lines: captured.lines }
    },

    /** To one partition and in one request, so that they make one batch, unless no partition is said. */
    publish: async (outcomes: readonly NotificationOutcome[], partition?: number): Promise<void> => {
      const values = await codec.encodeBatch(outcomes)
      const where = partition === undefined ? {} : { partition }
      await send(
        outcomes.map((outcome, i) => ({
          key: notificationOutcomeTopic.keyOf(outcome),
          value: values[i] as Buffer,
          ...where,
        })),
      )
    },

    /** As a producer writes it that knows the first version only: without what comes last, and the other schema's id. */
    encodeVersionOne: async (outcome: NotificationOutcome): Promise<Buffer> => {
      const [versionOne] = notificationOutcomeTopic.contract.versions
      const id = versionOne && (await registry.idOfSchema(subjectOf(notificationOutcomeTopic), versionOne.schema))
      const bytes = Buffer.from(await codec.encode({ ...outcome, eventTimestamp: null })).subarray(0, -1)
      bytes.writeInt32BE(id as number, 1)
      return bytes
    },

    /** Until every record is settled. */
    untilRead: async (timeout = 30_000): Promise<void> => {
      await vi.waitFor(
        async () => {
          const [ends, committed] = await Promise.all([
            admin.fetchTopicOffsets(input.topic),
            admin.fetchOffsets({ groupId: input.groupId, topics: [input.topic] }),
          ])
          const read = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
          const left = ends.filter(({ partition, high }) => Math.max(0, read.get(partition) ?? 0) < Number(high))
          expect(left).toEqual([])
        },
        { timeout, interval: 100 },
      )
    },

    close: async (): Promise<void> => {
      await Promise.all(shutdowns.map((stop) => stop()))
      const indices = Object.keys(await client.indices.get({ index: `${name}*` }))
      await client.indices.delete({ index: indices })
      await client.indices.deleteIndexTemplate({ name: historyTemplate(name).name })
      await Promise.allSettled([reader.disconnect(), producer.disconnect(), admin.disconnect(), client.close()])
    },
  }
}

export type HistoryWorld = Awaited<ReturnType<typeof createHistoryWorld>>

/** kafkajs's own waiting for leaders gives up at a broker that has not heard of the topic yet. */
const createTopics = async (admin: ReturnType<Kafka['admin']>, names: string[]): Promise<void> => {
  const numPartitions = notificationOutcomeTopic.partitions
  await admin.createTopics({ topics: names.map((topic) => ({ topic, numPartitions })), waitForLeaders: false })
  await vi.waitFor(async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: names })
    const leaders = topics.flatMap(({ partitions }) => partitions.filter(({ leader }) => leader >= 0))
    expect(leaders).toHaveLength(names.length * numPartitions)
  }, 10_000)
}

/** Of a notification nobody has heard of, from this month unless it is said otherwise. */
export const freshOutcome = (said: Partial<NotificationOutcome> = {}): NotificationOutcome =>
  sampleOutcome({ notificationId: randomUUID(), userId: `user-${randomUUID()}`, eventTimestamp: Date.now(), ...said })

export const refusal = (outcome: NotificationOutcome): NotificationOutcome => ({
  ...outcome,
  ...{ status: 'RATE_LIMITED', reason: 'DUPLICATE', blockingEventId: 'evt-0', revision: 0, results: [] },
})
