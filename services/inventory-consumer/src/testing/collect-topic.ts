import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from 'kafkajs'

export interface Collected<T> {
  /** Everything there was from the beginning of the topic until now. */
  all(): readonly T[]
  close(): Promise<void>
}

/** Reads along with a topic. */
export const collectTopic = async <T>(
  kafka: Kafka,
  topic: string,
  read: (message: KafkaMessage & { partition: number }) => Promise<T>,
): Promise<Collected<T>> => {
  const items: T[] = []
  const consumer = kafka.consumer({ groupId: `collect-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message, partition }) => {
      items.push(await read({ ...message, partition }))
    },
  })
  return { all: () => items, close: () => consumer.disconnect() }
}
