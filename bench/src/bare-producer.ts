import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { notificationInappTopic } from '@dropbell/schemas/topics'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs'

export interface BareProducer {
  /** What is sent is made beforehand. */
  prepare(notifications: readonly NotificationEvent[]): Promise<Message[]>
  /** One request for all of them; resolves when Kafka has acknowledged it. */
  send(messages: Message[]): Promise<void>
  close(): Promise<void>
}

/** The least that can be done for the app: kafkajs alone, into a topic of its own like the real one. */
export async function connectBareProducer(env: Record<string, string>): Promise<BareProducer> {
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const topic = 'bench-bare-inapp'
  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({
    topics: [{ topic, numPartitions: notificationInappTopic.partitions }],
    waitForLeaders: false,
  })
  await admin.disconnect()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const codec = createCodec({ topic: notificationInappTopic, registry })
  return {
    prepare: async (notifications) => {
      const values = await codec.encodeBatch(notifications)
      return notifications.map(({ userId, eventId, eventTimestamp }, index) => ({
        key: userId,
        value: values[index] as Buffer,
        headers: { [recordHeaders.eventId]: eventId ?? '', [recordHeaders.eventTimestamp]: String(eventTimestamp) },
      }))
    },
    send: async (messages) => {
      await producer.send({ topic, acks: -1, messages })
    },
    close: () => producer.disconnect(),
  }
}
