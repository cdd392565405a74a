import { randomUUID } from 'node:crypto'
import { migrate } from '@dropbell/database/migrate'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import { createCodec } from '@dropbell/schemas/codec'
import type { FanoutRequest } from '@dropbell/schemas/generated/fanout-request'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { applyIndexTemplates, createMissingIndices } from '@dropbell/schemas/index-templates'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { planTopics } from '@dropbell/schemas/topic-plan'
import {
  dlqNameOf,
  notificationFanoutTopic,
  notificationOutcomeTopic,
  notificationPushTopic,
  productInventoryTopic,
  subjectOf,
} from '@dropbell/schemas/topics'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Client } from '@elastic/elasticsearch'
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs'
import pg from 'pg'
import { type Collected, collectTopic } from './collect-topic.ts'

const indices = { USER_BEHAVIOR_INDEX: 'user_behavior_index', PRODUCT_INDEX: 'product_index' }

/** A notification, and when it was written. */
export type Told = NotificationEvent & { publishedAt: number }

/** A stack of its own with topics, schemas, tables and indices, and everything that comes out of the service. */
export const createServiceWorld = async () => {
  const stack = await startIsolatedStack()
  const env = stack.env()
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const elasticsearch = new Client({ node: env.ELASTICSEARCH_URL as string })
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL as string })
  pool.on('error', () => {})

  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({ topics: planTopics({ replicationFactor: 1 }), waitForLeaders: true })
  await registerSchemas(registry)
  await migrate({ connection: { connectionString: env.DATABASE_URL as string }, log: captureLog().log })
  await applyIndexTemplates(elasticsearch, indices)
  await createMissingIndices(elasticsearch, indices)

  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const codec = createCodec({ topic: productInventoryTopic, registry })
  const notificationCodec = createCodec({ topic: notificationPushTopic, registry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry })
  const fanoutCodec = createCodec({ topic: notificationFanoutTopic, registry })
  const collected = await Promise.all([
    collectTopic<Told>(kafka, notificationPushTopic.name, async ({ value, timestamp }) => ({
      ...(await notificationCodec.decode(value)),
      publishedAt: Number(timestamp),
    })),
    collectTopic<NotificationOutcome>(kafka, notificationOutcomeTopic.name, ({ value }) => outcomeCodec.decode(value)),
    collectTopic(kafka, dlqNameOf(productInventoryTopic.name), async (message) => message),
    collectTopic<FanoutRequest>(kafka, notificationFanoutTopic.name, ({ value }) => fanoutCodec.decode(value)),
  ])
  const [notifications, outcomes, deadLetters, fanoutRequests] = collected
  const services: ServiceProcess[] = []

  return {
    stack,
    pool,
    elasticsearch,
    admin,
    notifications: notifications as Collected<Told>,
    outcomes: outcomes as Collected<NotificationOutcome>,
    deadLetters,
    fanoutRequests: fanoutRequests as Collected<FanoutRequest>,
    kafka,

    /** As somebody writes it who asks again for what was asked for before. */
    publishFanout: async (request: FanoutRequest): Promise<void> => {
      const message = { key: request.event.eventId, value: await fanoutCodec.encode(request) }
      await producer.send({ topic: notificationFanoutTopic.name, acks: -1, messages: [message] })
    },

    /** Records as other teams write them. */
    publish: async (events: readonly ProductInventoryEvent[], partition?: number): Promise<void> => {
      const values = await codec.encodeBatch(events)
      const messages = events.map((event, index) => ({
        key: event.productId,
        value: values[index] as Buffer,
        ...(partition !== undefined && { partition }),
      }))
      await producer.send({ topic: productInventoryTopic.name, acks: -1, messages })
    },
    encode: (event: ProductInventoryEvent): Promise<Buffer> => codec.encode(event),
    /** As a producer writes it that knows the first version only: the bytes are the same but for the schema's id. */
    encodeVersionOne: async (event: ProductInventoryEvent): Promise<Buffer> => {
      const [versionOne] = productInventoryTopic.contract.versions
      const id = versionOne && (await registry.idOfSchema(subjectOf(productInventoryTopic), versionOne.schema))
      const bytes = Buffer.from(await codec.encode(event))
      bytes.writeInt32BE(id as number, 1)
      return bytes
    },
    publishRaw: (messages: Message[]) => producer.send({ topic: productInventoryTopic.name, acks: -1, messages }),

    startService: async (overrides: Record<string, string> = {}): Promise<ServiceProcess> => {
      const started = await startServiceProcess('services/inventory-consumer/src/main.ts', { ...env, ...overrides })
      services.push(started)
      return started
    },

    /** How often Redis did not answer a service of this test in time, which then began its batch anew. */
    missedByRedis: (): number =>
      services
        .flatMap((service) => service.lines())
        .filter(({ err }) =>
          /^(REDIS|PRODUCT_STATE|FANOUT_PROGRESS)_UNAVAILABLE$/.test((err as { code?: string })?.code ?? ''),
        ).length,

    stopServices: async (): Promise<void> => {
      await Promise.all(services.splice(0).map((running) => running.stop()))
    },

    close: async (): Promise<void> => {
      await Promise.all(services.map((running) => running.kill()))
      await Promise.allSettled([
        ...collected.map((topic) => topic.close()),
        producer.disconnect(),
        admin.disconnect(),
        pool.end(),
        elasticsearch.close(),
      ])
      await stack.reset()
    },
  }
}

export type ServiceWorld = Awaited<ReturnType<typeof createServiceWorld>>

export const uniqueId = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`

export const priceDrop = (productId: string, said: Partial<ProductInventoryEvent> = {}): ProductInventoryEvent => ({
  eventId: randomUUID(),
  productId,
  eventType: 'PRICE_CHANGE',
  previousPrice: 100,
  currentPrice: 80,
  previousStock: null,
  currentStock: null,
  timestamp: Date.now(),
  ...said,
})

export const restock = (productId: string, said: Partial<ProductInventoryEvent> = {}): ProductInventoryEvent =>
  priceDrop(productId, {
    eventType: 'STOCK_CHANGE',
    previousPrice: null,
    currentPrice: null,
    previousStock: 0,
    currentStock: 5,
    ...said,
  })
