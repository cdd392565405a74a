import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@elastic/elasticsearch'
import type { Redis } from 'ioredis'
import { type Kafka, Partitioners } from 'kafkajs'
import type { Pool } from 'pg'

/** Something in, the same thing out, and no trace of it left: the engine does what clients need, not just answer. */

export const kafkaRoundTrip = async (kafka: Kafka): Promise<string> => {
  const topic = `dropbell.demo.${randomUUID()}`
  const admin = kafka.admin()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  const consumer = kafka.consumer({ groupId: topic })
  await Promise.all([admin.connect(), producer.connect(), consumer.connect()])
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true })
    await producer.send({ topic, acks: -1, messages: [{ value: 'ding' }] })
    await consumer.subscribe({ topic, fromBeginning: true })
    const received = new Promise<string>((resolve) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error.message))
      void consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) })
    })
    return await expectDing(received)
  } finally {
    await consumer.disconnect()
    await admin.deleteTopics({ topics: [topic] })
    await admin.deleteGroups([topic])
    await Promise.all([producer.disconnect(), admin.disconnect()])
  }
}

export const elasticsearchRoundTrip = async (client: Client): Promise<string> => {
  const index = `dropbell-demo-${randomUUID()}`
  try {
    await client.index({ index, document: { word: 'ding' }, refresh: true })
    const { hits } = await client.search<{ word: string }>({ index, query: { match: { word: 'ding' } } })
    return await expectDing(hits.hits[0]?._source?.word)
  } finally {
    await client.indices.delete({ index, ignore_unavailable: true })
  }
}

export const redisRoundTrip = async (client: Redis): Promise<string> => {
  const key = `dropbell:demo:${randomUUID()}`
  await client.set(key, 'ding', 'EX', 60)
  return expectDing((await client.getdel(key)) ?? undefined)
}

export const postgresRoundTrip = async (pool: Pool): Promise<string> => {
  const connection = await pool.connect()
  try {
    await connection.query('CREATE TEMPORARY TABLE demo (word text)')
    await connection.query('INSERT INTO demo VALUES ($1)', ['ding'])
    const { rows } = await connection.query<{ word: string }>('SELECT word FROM demo')
    return await expectDing(rows[0]?.word)
  } finally {
    connection.release()
  }
}

const expectDing = async (answer: Promise<string> | string | undefined): Promise<string> => {
  const word = await Promise.race([answer, delay(30_000, 'no answer within 30 s', { ref: false })])
  if (word !== 'ding') throw new Error(`Expected "ding" back, got: ${word}`)
  return 'ok'
}
