import { randomUUID } from 'node:crypto'
import type { Kafka } from 'kafkajs'
import { decodeRecord, type RegistryRecord } from './records.ts'

export interface TopicReaderOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Called for every record, in order, also for those this process wrote. */
  readonly apply: (record: RegistryRecord) => void
  /** The reader has stopped for good: what is served from now on would grow stale. */
  readonly onFatal: (error: Error) => void
}

/** A consumer in a group of its own that never commits: every start reads everything. */
export const createTopicReader = ({ kafka, topic, apply, onFatal }: TopicReaderOptions) => {
  const groupId = `schema-registry-${randomUUID()}`
  let position = -1n
  let waiting: { readonly offset: bigint; readonly resolve: () => void }[] = []
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 500,
    // The shortest a broker takes by default: after an outage the group waits for its lost member this long.
    sessionTimeout: 6_000,
    heartbeatInterval: 1_500,
    retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 1_000, restartOnFailure: async () => true },
  })
  consumer.on('consumer.crash', ({ payload }) => {
    if (!payload.restart) onFatal(payload.error)
  })

  const advance = (offset: bigint) => {
    position = offset
    for (const { resolve } of waiting.filter((waiter) => waiter.offset <= offset)) resolve()
    waiting = waiting.filter((waiter) => waiter.offset > offset)
  }

  return {
    groupId,
    position: () => position,
    reached: (offset: bigint) =>
      new Promise<void>((resolve) => {
        if (offset <= position) resolve()
        else waiting.push({ offset, resolve })
      }),
    start: async () => {
      await consumer.connect()
      await consumer.subscribe({ topic, fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          for (const message of batch.messages) {
            // After an outage the group is joined anew and reads from the start again: what is applied stays applied.
            const offset = BigInt(message.offset)
            if (offset <= position) continue
            const record = decodeRecord(message.key, message.value)
            if (record !== undefined) apply(record)
            advance(offset)
          }
        },
      })
    },
    stop: () => consumer.disconnect(),
  }
}
