import { claimPlans, type PlannedNotification } from '@dropbell/database/ledger/claim-plans'
import { migrate } from '@dropbell/database/migrate'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { offerConfig } from '@dropbell/offers/offer-config'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { historyConfig } from '@dropbell/schemas/history/history-config'
import { historyDocumentOf } from '@dropbell/schemas/history/history-document'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { historyIndexOf } from '@dropbell/schemas/history/history-month'
import { indexConfig } from '@dropbell/schemas/index-config'
import { createMissingIndices } from '@dropbell/schemas/index-templates'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { planTopics } from '@dropbell/schemas/topic-plan'
import type { Topic } from '@dropbell/schemas/topics'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { createTopicReader } from '@dropbell/shared/kafka/topic-reader'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Client } from '@elastic/elasticsearch'
import { Redis } from 'ioredis'
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs'
import pg from 'pg'
import { createTraceSources, type TraceEngines } from '../create-trace-sources.ts'
import type { Question, Trace } from '../trace.ts'
import { createTracer } from '../tracer.ts'

const schema = defineConfig(offerConfig, indexConfig, historyConfig, dlqConfig)

/** Real engines with nothing in them but what a test writes, and no service. */
export const openTraceBench = async () => {
  const stack = await startIsolatedStack({
    engines: ['kafka', 'schema-registry', 'elasticsearch', 'redis', 'postgres'],
  })
  const env = stack.env()
  const config = loadConfig(schema, env)
  const settings = { brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING }
  const kafka = new Kafka(settings)
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const elasticsearch = new Client({ node: env.ELASTICSEARCH_URL as string })
  const redis = new Redis(env.REDIS_URL as string)
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL as string })
  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({ topics: planTopics({ replicationFactor: 1 }), waitForLeaders: true })
  await registerSchemas(registry)
  await migrate({ connection: { connectionString: env.DATABASE_URL as string }, log: captureLog().log })
  await createMissingIndices(elasticsearch, config)
  await applyHistoryIndices(elasticsearch, config.NOTIFICATION_HISTORY_INDEX)
  const reader = createTopicReader(kafka, settings)
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const engines: TraceEngines = {
    kafka: { reader, probe: async () => {}, registry },
    ...{ redis, elasticsearch, postgres: pool },
  }

  return {
    ...{ kafka, redis, pool },
    publish: async <T>(
      topic: Topic<T>,
      values: readonly T[],
      to: { topic?: string; headers?: Message['headers']; timestamp?: number } = {},
    ) => {
      const encoded = await createCodec({ topic, registry }).encodeBatch(values)
      const headers = to.headers ?? {}
      const messages = values.map((value, index) => ({
        key: topic.keyOf(value),
        value: encoded[index] as Buffer,
        headers,
        ...(to.timestamp !== undefined && { timestamp: String(to.timestamp) }),
      }))
      await producer.send({ topic: to.topic ?? topic.name, acks: -1, messages })
    },
    index: async (outcome: NotificationOutcome) => {
      const index = historyIndexOf(config.NOTIFICATION_HISTORY_INDEX, outcome.eventTimestamp as number)
      await elasticsearch.index({
        index,
        id: outcome.notificationId,
        document: historyDocumentOf(outcome),
        refresh: true,
      })
    },
    plan: (notification: PlannedNotification) =>
      claimPlans(pool, [notification], { leaseToken: crypto.randomUUID(), leaseMs: 60_000, now: Date.now() }),
    trace: (
      question: Question,
      {
        mostRecords = 100_000,
        limit = 20,
        since = Date.now() - 3_600_000,
        without = [] as (keyof TraceEngines)[],
      } = {},
    ): Promise<Trace> => {
      const left = Object.fromEntries(
        Object.entries(engines).filter(([name]) => !without.includes(name as keyof TraceEngines)),
      )
      const sources = createTraceSources(left, { config, mostRecords })
      return createTracer({ sources, rules: { priceDropThreshold: 10 } })({
        question,
        since,
        limit,
      })
    },
    close: async () => {
      await Promise.allSettled([
        reader.close(),
        producer.disconnect(),
        admin.disconnect(),
        elasticsearch.close(),
        pool.end(),
      ])
      redis.disconnect()
      await stack.reset()
    },
  }
}
