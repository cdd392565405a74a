import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransientError } from '../../errors.ts'
import { openKafkaBench } from '../../testing/kafka-bench.ts'

const waiting = { timeout: 60_000, interval: 50 }
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index))

describe('the consumer, when the broker is killed,', { timeout: 180_000 }, () => {
  let stack: Awaited<ReturnType<typeof startIsolatedStack>>
  let bench: ReturnType<typeof openKafkaBench>
  beforeAll(async () => {
    stack = await startIsolatedStack({ engines: ['kafka'] })
  })
  beforeEach(() => {
    bench = openKafkaBench(stack.env())
  })
  afterEach(() => bench.close())
  afterAll(() => stack.reset())

  const saidByKafkajs = (text: string) => bench.lines().some(({ detail }) => String(detail).startsWith(text))

  it('goes on when it is back, and misses nothing', async () => {
    const topic = await bench.createTopics(3)
    const done = new Set<string>()
    const onFatal = vi.fn()
    const consumer = bench.consumer({
      topic,
      groupId: 'restarted',
      maxBatchRecords: 3,
      onFatal,
      handle: async (records) => {
        for (const { value } of records) done.add(value)
      },
    })
    await consumer.start()
    const publish = (values: string[]) =>
      bench.publisher.publish(values.map((value) => ({ topic, key: value, value: Buffer.from(value) })))
    await publish(numbers(300))
    await vi.waitUntil(() => done.size > 30, waiting)
    await stack.engine('kafka').kill()
    await stack.engine('kafka').start()
    await vi.waitFor(() => publish(numbers(300, 300)), waiting)
    await vi.waitFor(() => expect([...done].sort()).toEqual(numbers(600).sort()), waiting)
    await vi.waitFor(async () => {
      const committed = await bench.committed('restarted', topic)
      const ends = await bench.admin.fetchTopicOffsets(topic)
      expect(committed.reduce((sum, offset) => sum + offset, 0)).toBe(ends.reduce((sum, { high }) => sum + +high, 0))
    }, waiting)
    expect(consumer.isAlive()).toBe(true)
    expect(onFatal).not.toHaveBeenCalled()
  })

  it('is restarted by kafkajs after a long absence, and is still paused if it was', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b', 'c'])
    let isDown = true
    const tried: string[] = []
    const onFatal = vi.fn()
    const consumer = bench.consumer({
      topic,
      groupId: 'paused',
      maxBatchRecords: 1,
      onFatal,
      dependencies: {
        store: async () => {
          if (isDown) throw new Error('down')
        },
      },
      handle: async (records) => {
        tried.push(...records.map(({ value }) => value))
        if (isDown) throw new TransientError('DOWN', 'down', { dependency: 'store' })
      },
    })
    await consumer.start()
    await vi.waitFor(async () => expect(await bench.committed('paused', topic)).toEqual([1]), waiting)
    await stack.engine('kafka').kill()
    await vi.waitUntil(() => saidByKafkajs('Restarting the consumer'), waiting)
    await stack.engine('kafka').start()
    const joins = () => bench.lines().filter(({ detail }) => detail === 'Consumer has joined the group').length
    const joinsBefore = joins()
    await vi.waitUntil(() => joins() > joinsBefore, waiting)
    // Fetching would bring the next record within this time.
    const joinedAt = performance.now()
    await vi.waitUntil(() => performance.now() - joinedAt > 2_000, waiting)
    expect(new Set(tried)).toEqual(new Set(['a']))
    isDown = false
    await vi.waitFor(async () => expect(await bench.committed('paused', topic)).toEqual([3]), waiting)
    expect(tried.slice(-2)).toEqual(['b', 'c'])
    expect(onFatal).not.toHaveBeenCalled()
  })

  it('stops in time while it is away', async () => {
    const topic = await bench.createTopics()
    const consumer = bench.consumer({ topic, groupId: 'stopped', drainTimeoutMs: 500, handle: async () => {} })
    await consumer.start()
    await stack.engine('kafka').kill()
    const startedAt = performance.now()
    await consumer.stop().catch((error) => expect(error).toMatchObject({ code: 'CONSUMER_STOP_TIMEOUT' }))
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })
})
