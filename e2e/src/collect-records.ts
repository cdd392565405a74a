import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'

/** Reads a topic from its beginning until `wanted` values have been picked; leaves no group behind. */
export const collectRecords = async <T>(
  kafka: Kafka,
  topic: string,
  wanted: number,
  pick: (value: Buffer | null) => Promise<T | undefined>,
  timeoutMs = 30_000,
): Promise<T[]> => {
  const groupId = `collect-${randomUUID()}`
  const consumer = kafka.consumer({ groupId })
  const picked: T[] = []
  await consumer.connect()
  try {
    await consumer.subscribe({ topic, fromBeginning: true })
    const complete = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        const value = await pick(message.value)
        if (value !== undefined && picked.push(value) >= wanted) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
    const late = delay(timeoutMs, 'late' as const, { ref: false })
    if ((await Promise.race([complete, late])) === 'late') {
      throw new Error(`${picked.length} of ${wanted} records arrived in ${topic} within ${timeoutMs / 1000} s`)
    }
    return picked
  } finally {
    await consumer.disconnect()
    await removeGroup(kafka, groupId)
  }
}

const removeGroup = async (kafka: Kafka, groupId: string): Promise<void> => {
  const admin = kafka.admin()
  await admin.connect()
  await admin.deleteGroups([groupId]).finally(() => admin.disconnect())
}
