import { randomUUID } from 'node:crypto'
import type { Client } from '@elastic/elasticsearch'
import type { Redis } from 'ioredis'
import { type Kafka, Partitioners } from 'kafkajs'
import type { Pool } from 'pg'
import { collectRecords } from './collect-records.ts'

/** Something in, the same thing out, and no trace of it left: the engine does what clients need, not just answer. */

export const kafkaRoundTrip = async (kafka: Kafka): Promise<string> => {
  const topic = `dropbell.demo.${randomUUID()}`
  const admin = kafka.admin()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await Promise.all([admin.connect(), producer.connect()])
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true })
    await producer.send({ topic, acks: -1, messages: [{ value: 'ding' }] })
    const [word] = await collectRecords(kafka, topic, 1, async (value) => String(value))
    return expectDing(word)
  } finally {
    await admin.deleteTopics({ topics: [topic] })
    await Promise.all([producer.disconnect(), admin.disconnect()])
  }
}

export const elasticsearchRoundTrip = async (client: Client): Promise<string> => {
  const index = `dropbell-demo-${randomUUID()}`
  try {
    await client.index({ index, document: { word: 'ding' }, refresh: true })
    const { hits } = await client.search<{ word: string }>({ index, query: { match: { word: 'ding' } } })
    return expectDing(hits.hits[0]?._source?.word)
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
    return expectDing(rows[0]?.word)
  } finally {
    connection.release()
  }
}

const expectDing = (word: string | undefined): string => {
  if (word !== 'ding') throw new Error(`Expected "ding" back, got: ${word}`)
  return 'ok'
}
