import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from 'kafkajs'

interface PartitionEnds {
  partition: number
  high: string
}

/** Everything that was written to a topic since `from`, partition by partition as it comes. */
export async function readRecords(
  kafka: Kafka,
  topic: string,
  from: readonly PartitionEnds[],
): Promise<KafkaMessage[]> {
  const admin = kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const starts = new Map(from.map(({ partition, high }) => [partition, Number(high)]))
  const expected = ends.reduce((sum, { partition, high }) => sum + Number(high) - (starts.get(partition) ?? 0), 0)
  const records: KafkaMessage[] = []
  if (expected === 0) return records
  const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: 100 })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await new Promise<void>((resolve, reject) => {
      consumer
        .run({
          eachBatch: async ({ batch, resolveOffset }) => {
            for (const message of batch.messages) {
              resolveOffset(message.offset)
              if (Number(message.offset) < (starts.get(batch.partition) ?? 0)) continue
              records.push(message)
              if (records.length === expected) resolve()
            }
          },
        })
        .catch(reject)
      for (const [partition, offset] of starts) consumer.seek({ topic, partition, offset: String(offset) })
    })
  } finally {
    await consumer.disconnect()
  }
  return records
}
