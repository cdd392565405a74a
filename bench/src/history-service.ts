import { type AppParts, startApp } from '@dropbell/history-indexer/app'
import { historyIndexerSchema } from '@dropbell/history-indexer/service-config'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { dlqNameOf, notificationOutcomeTopic } from '@dropbell/schemas/topics'
import { chunksOf } from '@dropbell/shared/chunks-of'
import { loadConfig } from '@dropbell/shared/config'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import { createLogger } from '@dropbell/shared/log'
import { createShutdown } from '@dropbell/shared/shutdown'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { Client } from '@elastic/elasticsearch'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { assertCount } from './history-loop.ts'
import { sampleOutcomes } from './sample-events.ts'

export interface HistoryService {
  /** Lets the service work off so many outcomes that wait in its topic; documents per second. */
  measure(documents: number): Promise<number>
  stop(): Promise<void>
}

const MOST_MS = 120_000
/** What a broker takes in one request. */
const PUBLISHED_AT_ONCE = 5_000

/** The whole service with a topic, a group and indices of its own. */
export async function openHistoryService(
  env: Record<string, string>,
  client: Client,
  alias: string,
): Promise<HistoryService> {
  const log = createLogger({ level: 'silent', service: 'bench' })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  await registerSchemas(registry)
  await applyHistoryIndices(client, alias)
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const input = { topic: alias, groupId: alias }
  await createTopics(kafka, [input.topic, dlqNameOf(input.topic)])
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const codec = createCodec({ topic: notificationOutcomeTopic, registry })
  const variables = { NOTIFICATION_HISTORY_INDEX: alias, LOG_LEVEL: 'silent', OPERATIONS_PORT: '0' }
  const config = loadConfig(historyIndexerSchema, { ...env, ...variables })
  const fail = (error: unknown) => {
    throw error
  }
  let expected = 0

  /** From the first batch that is handled to the last one that is done. */
  const work = async (documents: number): Promise<number> => {
    const shutdown = createShutdown({ timeoutMs: 20_000, log })
    let beganAt = 0
    let done = 0
    let finish: (ms: number) => void = () => {}
    const finished = new Promise<number>((resolve) => {
      finish = resolve
    })
    const around: AppParts['around'] = (handle) => async (records, context) => {
      if (beganAt === 0) beganAt = performance.now()
      await handle(records, context)
      done += records.length
      if (done >= documents) finish(performance.now() - beganAt)
    }
    try {
      await startApp({ config, log, shutdown, fail }, { input, around })
      return await withDeadline(finished, MOST_MS, () => new Error(`${done} of ${documents} within ${MOST_MS} ms`))
    } finally {
      await shutdown.stop()
    }
  }

  return {
    measure: async (documents) => {
      const outcomes = sampleOutcomes(documents)
      const values = await codec.encodeBatch(outcomes)
      const messages = outcomes.map((outcome, i) => ({
        key: notificationOutcomeTopic.keyOf(outcome),
        value: values[i] as Buffer,
        headers: headersOf(outcome),
      }))
      for (const part of chunksOf(messages, PUBLISHED_AT_ONCE)) {
        await producer.send({ topic: input.topic, acks: -1, messages: [...part] })
      }
      const ms = await work(documents)
      expected += documents
      await assertCount(client, alias, expected)
      return (documents * 1_000) / ms
    },
    stop: () => producer.disconnect(),
  }
}

/** As producer and sender write them. */
const headersOf = ({ eventId, eventTimestamp, traceparent }: NotificationOutcome) => ({
  [recordHeaders.eventId]: String(eventId),
  [recordHeaders.eventTimestamp]: String(eventTimestamp),
  [recordHeaders.traceparent]: String(traceparent),
})

async function createTopics(kafka: Kafka, topics: string[]): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const numPartitions = notificationOutcomeTopic.partitions
  await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions })), waitForLeaders: false })
  await admin.disconnect()
}
