import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PermanentError, TransientError } from '../errors.ts'
import { openKafkaBench } from '../testing/kafka-bench.ts'
import { createPublisher, type OutgoingRecord } from './publisher.ts'

const record = (topic: string, value: string, rest: Partial<OutgoingRecord> = {}): OutgoingRecord => ({
  topic,
  key: value,
  value: Buffer.from(value),
  ...rest,
})
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the publisher', () => {
  let bench: ReturnType<typeof openKafkaBench>
  beforeAll(() => {
    bench = openKafkaBench({ ...testEnv() })
  })
  afterAll(() => bench.close())

  const valuesIn = async (topic: string) => (await bench.read(topic)).map(({ value }) => String(value))

  it('writes key, value, headers and partition as they are, to several topics at once', async () => {
    const [one, other] = [await bench.createTopics(3), await bench.createTopics()]
    await bench.publisher.publish([
      {
        topic: one,
        key: 'k',
        value: Buffer.from([0, 255]),
        partition: 2,
        headers: { a: 'x', b: ['1', Buffer.from('2')] },
      },
      { topic: other, key: null, value: null },
    ])
    expect(await bench.read(one)).toMatchObject([
      {
        partition: 2,
        key: Buffer.from('k'),
        value: Buffer.from([0, 255]),
        headers: { a: Buffer.from('x'), b: [Buffer.from('1'), Buffer.from('2')] },
      },
    ])
    expect(await bench.read(other)).toMatchObject([{ key: null, value: null }])
  })

  it('keeps the order of calls that do not wait for each other', async () => {
    const topic = await bench.createTopics()
    await Promise.all(numbers(50).map((value) => bench.publisher.publish([record(topic, value)])))
    expect(await valuesIn(topic)).toEqual(numbers(50))
  })

  it('publishes more than one request may carry, and more than a broker takes at once', async () => {
    const topic = await bench.createTopics()
    const padding = 'x'.repeat(2_000)
    const values = numbers(1_500).map((value) => `${value}-${padding}`)
    await bench.publisher.publish(values.map((value) => record(topic, value, { key: null })))
    expect(await valuesIn(topic)).toEqual(values)
  })

  it('finds out by itself when a broker takes less than assumed', async () => {
    const topic = await bench.createTopics()
    const publisher = createPublisher({ ...bench, maxInFlightBytes: 8 * 1024 * 1024, maxInFlightRecords: 10_000 })
    const padding = 'x'.repeat(2_000)
    await publisher.publish(numbers(1_000).map((value) => record(topic, `${value}-${padding}`, { key: null })))
    await publisher.close()
    expect(new Set(await valuesIn(topic)).size).toBe(1_000)
  })

  it('fails for good for a record that is too large, and goes on with others', async () => {
    const topic = await bench.createTopics()
    const error = await failureOf(
      bench.publisher.publish([record(topic, 'x', { value: Buffer.alloc(2 * 1024 * 1024) })]),
    )
    expect(error).toBeInstanceOf(PermanentError)
    expect(error).toMatchObject({ code: 'RECORD_TOO_LARGE' })
    await bench.publisher.publish([record(topic, 'next')])
    expect(await valuesIn(topic)).toEqual(['next'])
  })

  it.each([
    ['a topic that does not exist', () => record('no-such-topic', 'x')],
    ['a partition that does not exist', async () => record(await bench.createTopics(), 'x', { partition: 9 })],
  ])('fails for %s, as for something that may come to exist', async (_, make) => {
    const publisher = createPublisher({ ...bench, timeoutMs: 2_000 })
    const error = await failureOf(publisher.publish([await make()]))
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ code: 'PUBLISH_FAILED', dependency: 'kafka' })
    const topic = await bench.createTopics()
    await publisher.publish([record(topic, 'other')])
    await publisher.close()
    expect(await valuesIn(topic)).toEqual(['other'])
  })

  it('does not let a topic wait for another that fails', async () => {
    const topic = await bench.createTopics()
    const publisher = createPublisher(bench)
    let failed = false
    const failing = failureOf(publisher.publish([record('no-such-topic', 'x')])).then(() => {
      failed = true
    })
    await publisher.publish([record(topic, 'x')])
    expect(failed).toBe(false)
    await failing
    await publisher.close()
  })

  it('finishes what is under way before it closes, and refuses the rest', async () => {
    const topic = await bench.createTopics()
    const publisher = createPublisher(bench)
    const published = Promise.all(numbers(20).map((value) => publisher.publish([record(topic, value)])))
    const closed = publisher.close()
    expect(publisher.close()).toBe(closed)
    await expect(publisher.publish([record(topic, 'late')])).rejects.toMatchObject({ code: 'PUBLISHER_CLOSED' })
    await Promise.all([published, closed])
    expect(await valuesIn(topic)).toEqual(numbers(20))
  })
})

describe('the publisher, when the broker', () => {
  let stack: Awaited<ReturnType<typeof startIsolatedStack>>
  let bench: ReturnType<typeof openKafkaBench>
  beforeAll(async () => {
    stack = await startIsolatedStack({ engines: ['kafka'] })
    bench = openKafkaBench(stack.env())
  })
  afterAll(async () => {
    await bench.close()
    await stack.reset()
  })

  it('is killed and comes back: every publish ends in time, and nothing acknowledged is missing', async () => {
    const topic = await bench.createTopics(3)
    const publisher = createPublisher({ ...bench, timeoutMs: 5_000 })
    const acknowledged: string[] = []
    const durations: number[] = []
    let running = true
    let next = 0
    const publishOn = async () => {
      while (running) {
        const values = numbers(5).map(() => String(next++))
        const startedAt = performance.now()
        const error = await failureOf(publisher.publish(values.map((value) => record(topic, value, { key: null }))))
        durations.push(performance.now() - startedAt)
        if (error === undefined) acknowledged.push(...values)
        else expect(error).toMatchObject({ code: 'PUBLISH_FAILED' })
      }
    }
    const publishing = Promise.all([publishOn(), publishOn(), publishOn()])
    await vi.waitUntil(() => acknowledged.length > 100)
    await stack.engine('kafka').kill()
    await stack.engine('kafka').start()
    const before = acknowledged.length
    await vi.waitUntil(() => acknowledged.length > before + 100, { timeout: 30_000 })
    running = false
    await publishing
    await publisher.close()
    // Three callers take turns, each with a request of its own.
    expect(Math.max(...durations)).toBeLessThan(3 * 5_000 + 1_000)
    const present = new Set((await bench.read(topic)).map(({ value }) => String(value)))
    expect(acknowledged.filter((value) => !present.has(value))).toEqual([])
  })

  it('freezes: a publish fails in time, and what follows is written when it thaws', async () => {
    const topic = await bench.createTopics()
    const publisher = createPublisher({ ...bench, timeoutMs: 1_000 })
    await publisher.publish([record(topic, 'before')])
    stack.engine('kafka').freeze()
    const startedAt = performance.now()
    const error = await failureOf(publisher.publish([record(topic, 'during')]))
    expect(error).toMatchObject({ code: 'PUBLISH_FAILED' })
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    stack.engine('kafka').thaw()
    await vi.waitUntil(async () => (await failureOf(publisher.publish([record(topic, 'after')]))) === undefined, {
      timeout: 30_000,
    })
    await publisher.close()
    expect((await bench.read(topic)).map(({ value }) => String(value))).toContain('after')
  })
})
