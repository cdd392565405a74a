import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { kafkaConfig } from '../config/kafka.ts'
import { defineConfig, loadConfig } from '../config.ts'
import { openKafkaBench } from '../testing/kafka-bench.ts'
import { kafkaSettings } from './connect.ts'
import { createTopicReader, type PartitionRange, type TopicReader } from './topic-reader.ts'

let bench: ReturnType<typeof openKafkaBench>
let reader: TopicReader

beforeAll(() => {
  bench = openKafkaBench({ ...testEnv() })
  const config = loadConfig(defineConfig(kafkaConfig), { ...testEnv() })
  reader = createTopicReader(bench.kafka, kafkaSettings({ config, service: 'reader-test' }))
})
afterAll(async () => {
  await reader.close()
  await bench.close()
})

const readAll = async (topic: string, ranges?: readonly PartitionRange[]): Promise<string[]> => {
  const values: string[] = []
  for await (const { partition, messages } of reader.read(topic, ranges ?? (await reader.extentOf(topic)))) {
    for (const { value } of messages) values.push(`${partition} ${value}`)
  }
  return values
}

const transact = async (topic: string, value: string, end: 'commit' | 'abort' | 'leave open') => {
  const producer = bench.kafka.producer({ transactionalId: `reader-${randomUUID()}`, transactionTimeout: 5_000 })
  await producer.connect()
  const transaction = await producer.transaction()
  await transaction.send({ topic, messages: [{ partition: 0, value }] })
  if (end === 'commit') await transaction.commit()
  if (end === 'abort') await transaction.abort()
  await producer.disconnect()
}

describe('a reader of a topic', () => {
  it('reads every partition in order to where it ended, and leaves no group behind', async () => {
    const topic = await bench.createTopics(3)
    const values = Array.from({ length: 3_000 }, (_, n) => `value ${n}`)
    await bench.publish(topic, values, 0)
    await bench.publish(topic, ['alone'], 2)
    const extent = await reader.extentOf(topic)
    expect(extent.map(({ from, until }) => [from, until])).toEqual([
      [0, 3_000],
      [0, 0],
      [0, 1],
    ])
    const groups = (await bench.admin.listGroups()).groups.length
    const read = await readAll(topic, extent)
    expect(read.filter((text) => text.startsWith('0'))).toEqual(values.map((value) => `0 ${value}`))
    expect(read).toContain('2 alone')
    expect(read).toHaveLength(3_001)
    expect((await bench.admin.listGroups()).groups.length).toBe(groups)
  })

  it('reads a part of it', async () => {
    const topic = await bench.createTopics(1)
    await bench.publish(topic, ['a', 'b', 'c', 'd'])
    expect(await readAll(topic, [{ partition: 0, from: 1, until: 3 }])).toEqual(['0 b', '0 c'])
    expect(await readAll(topic, [{ partition: 0, from: 2, until: 2 }])).toEqual([])
  })

  it('ends behind the markers of transactions, without what was aborted', async () => {
    const topic = await bench.createTopics(1)
    await transact(topic, 'committed', 'commit')
    await transact(topic, 'aborted', 'abort')
    // A commit is acknowledged before its marker is in the topic.
    const ends = async () => expect(await reader.extentOf(topic)).toMatchObject([{ from: 0, until: 4, end: 4 }])
    await vi.waitFor(ends, { timeout: 10_000 })
    expect(await readAll(topic)).toEqual(['0 committed'])
  })

  it('says how far a transaction that is open lets it read', async () => {
    const topic = await bench.createTopics(1)
    await bench.publish(topic, ['before'])
    await transact(topic, 'hidden', 'leave open')
    await bench.publish(topic, ['behind'])
    expect(await reader.extentOf(topic)).toEqual([{ partition: 0, from: 0, until: 1, end: 3 }])
    expect(await readAll(topic)).toEqual(['0 before'])
    // The broker ends it in the end.
    const isEnded = async () => (await reader.extentOf(topic))[0]?.until === 4
    await vi.waitUntil(isEnded, { timeout: 40_000, interval: 200 })
    expect(await readAll(topic)).toEqual(['0 before', '0 behind'])
  })

  it('goes on behind records that were deleted meanwhile', async () => {
    const topic = await bench.createTopics(1)
    await bench.publish(topic, ['a', 'b', 'c', 'd'])
    const ranges = await reader.extentOf(topic)
    // kafkajs looks for the leader before it has asked for the topic.
    await bench.admin.fetchTopicOffsets(topic)
    await bench.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] })
    await vi.waitUntil(async () => (await reader.extentOf(topic))[0]?.from === 2, { timeout: 10_000 })
    expect(await readAll(topic, ranges)).toEqual(['0 c', '0 d'])
  })

  it('finds the first record of a time', async () => {
    const topic = await bench.createTopics(1)
    const before = Date.now() - 3_600_000
    await bench.publish(topic, ['a'])
    expect(await reader.offsetsAt(topic, before)).toEqual(new Map([[0, 0]]))
    expect(await reader.offsetsAt(topic, Date.now() + 3_600_000)).toEqual(new Map([[0, 1]]))
  })

  it('rejects where there is no such topic', async () => {
    await expect(reader.extentOf('no-such-topic')).rejects.toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' })
  })
})
