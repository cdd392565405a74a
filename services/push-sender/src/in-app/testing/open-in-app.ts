import { randomUUID } from 'node:crypto'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { notificationInappTopic } from '@dropbell/schemas/topics'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { type IHeaders, Kafka, logLevel } from 'kafkajs'
import { Registry } from 'prom-client'
import { expect, vi } from 'vitest'
import type { Provider } from '../../provider.ts'
import { createProviderMetrics } from '../../provider-metrics.ts'
import { inAppConfig } from '../config.ts'
import { createInAppProvider } from '../create-in-app-provider.ts'

const schema = defineConfig(inAppConfig)

export interface ReadNotification {
  key: string
  notification: NotificationEvent
  headers: IHeaders
}

export interface OpenInApp {
  provider: Provider
  /** Publishes that were asked for so far. */
  publishes(): number
  /** All that is in the topic. */
  read(): Promise<ReadNotification[]>
  close(): Promise<void>
}

export interface OpenInAppOptions {
  /** Of Kafka and the schema registry. */
  stackEnv: Readonly<Record<string, string>>
  env?: Environment
  /** Of the topic: the largest that the broker takes there. */
  maxMessageBytes?: number
}

/** A provider as the service makes it, on a topic of its own. */
export const openInApp = async ({ stackEnv, env = {}, maxMessageBytes }: OpenInAppOptions): Promise<OpenInApp> => {
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL } = stackEnv as { KAFKA_BROKERS: string; SCHEMA_REGISTRY_URL: string }
  const topic = { ...notificationInappTopic, name: `in-app-${randomUUID()}` }
  const kafka = new Kafka({ brokers: [KAFKA_BROKERS], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  const configEntries = maxMessageBytes ? [{ name: 'max.message.bytes', value: String(maxMessageBytes) }] : []
  await admin.createTopics({ topics: [{ topic: topic.name, numPartitions: 2, configEntries }], waitForLeaders: false })
  await vi.waitFor(async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic.name] })
    expect(topics[0]?.partitions.filter(({ leader }) => leader >= 0)).toHaveLength(2)
  }, 10_000)
  const registry = createRegistryClient({ url: SCHEMA_REGISTRY_URL })
  await registerSchemas(registry, [topic])
  const codec = createCodec({ topic, registry })
  const { log } = captureLog()
  const publisher = createPublisher({ kafka, log })
  let publishes = 0
  const counted = {
    publish: (records: Parameters<typeof publisher.publish>[0]) => {
      publishes++
      return publisher.publish(records)
    },
  }
  const config = loadConfig(schema, env)
  const metrics = createProviderMetrics(new Registry())
  const provider = createInAppProvider({ config, publisher: counted, codec, metrics, log, topic })

  const read = async (): Promise<ReadNotification[]> => {
    const found: ReadNotification[] = []
    const offsets = await admin.fetchTopicOffsets(topic.name)
    const expected = offsets.reduce((sum, { high }) => sum + Number(high), 0)
    const consumer = kafka.consumer({ groupId: `read-${randomUUID()}`, maxWaitTimeInMs: 100 })
    await consumer.connect()
    await consumer.subscribe({ topic: topic.name, fromBeginning: true })
    await consumer.run({
      eachMessage: async ({ message: { key, value, headers = {} } }) => {
        found.push({ key: String(key), notification: await codec.decode(value), headers })
      },
    })
    await vi.waitFor(() => expect(found).toHaveLength(expected), { timeout: 20_000 })
    await consumer.disconnect()
    return found
  }
  const close = async (): Promise<void> => {
    await provider.close()
    await publisher.close()
    await admin.disconnect()
  }
  return { provider, publishes: () => publishes, read, close }
}
