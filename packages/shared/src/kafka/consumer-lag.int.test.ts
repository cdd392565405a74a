import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openKafkaBench } from '../testing/kafka-bench.ts'
import { closedPort, startSilentPeer } from '../testing/tcp-peer.ts'
import { createConsumerLag } from './consumer-lag.ts'

let bench: ReturnType<typeof openKafkaBench>
const cleanUps: (() => Promise<void>)[] = []
beforeAll(() => {
  bench = openKafkaBench({ ...testEnv() })
})
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
  await bench.close()
})

const readerOf = (topic: string, groupId: string, requireConsumer = false, kafka = bench.kafka) => {
  const lag = createConsumerLag({ kafka, groupId, topic, requireConsumer })
  cleanUps.push(lag.close)
  return lag
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, n) => `text ${n}`)

describe('the lag of a group', () => {
  it('is what it has not committed, also after it was stopped', async () => {
    const topic = await bench.createTopics(2)
    const groupId = `lag-${randomUUID()}`
    const lag = readerOf(topic, groupId)
    await bench.publish(topic, texts(30), 0)
    await bench.publish(topic, texts(12), 1)
    expect(await lag.read()).toBe(0)

    const consumer = bench.consumer({ topic, groupId, handle: async () => {} })
    await consumer.start()
    await vi.waitFor(async () => expect(await bench.committed(groupId, topic)).toEqual([30, 12]), { timeout: 10_000 })
    expect(await lag.read()).toBe(0)
    await consumer.stop()

    await bench.publish(topic, texts(7), 1)
    expect(await lag.read()).toBe(7)
  })

  it('is infinite while the group has no member, if one is required', async () => {
    const topic = await bench.createTopics()
    const groupId = `lag-${randomUUID()}`
    const lag = readerOf(topic, groupId, true)
    expect(await lag.read()).toBe(Number.POSITIVE_INFINITY)
    const consumer = bench.consumer({ topic, groupId, handle: async () => {} })
    await consumer.start()
    expect(await lag.read()).toBe(0)
    await consumer.stop()
    expect(await lag.read()).toBe(Number.POSITIVE_INFINITY)
  })

  it('is unknown without Kafka: a transient failure that names it', async () => {
    const brokers = [`127.0.0.1:${await closedPort()}`]
    const nowhere = new Kafka({ brokers, retry: { retries: 0 }, logLevel: logLevel.NOTHING })
    const lag = readerOf('any', 'any', false, nowhere)
    await expect(lag.read()).rejects.toMatchObject({ code: 'CONSUMER_LAG_UNKNOWN', dependency: 'kafka' })
  })

  it('is unknown soon when Kafka takes the connection and says nothing, and holds nobody up who closes', async () => {
    const peer = await startSilentPeer()
    cleanUps.push(peer.close)
    const frozen = new Kafka({ brokers: [`127.0.0.1:${peer.port}`], logLevel: logLevel.NOTHING })
    const lag = createConsumerLag({
      ...{ kafka: frozen, groupId: 'any', topic: 'any', requireConsumer: false, timeoutMs: 300 },
    })
    const since = performance.now()
    await expect(lag.read()).rejects.toMatchObject({ code: 'CONSUMER_LAG_UNKNOWN', dependency: 'kafka' })
    await lag.close()
    // A request of the client takes half a minute to time out.
    expect(performance.now() - since).toBeLessThan(10_000)
  })
})
