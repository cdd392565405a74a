import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PermanentError, TransientError } from '../errors.ts'
import { createMetrics } from '../metrics.ts'
import { openKafkaBench } from '../testing/kafka-bench.ts'
import type { ConsumedRecord } from './consumer/consumed-record.ts'
import { createPublisher } from './publisher.ts'

const waiting = { timeout: 30_000, interval: 50 }
const busy = new TransientError('BUSY', 'busy')
const policy = { deadLetters: true, topicSuffix: '.dlq', maxRetries: 3, backoffMs: 20 }
const numbers = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const valuesOf = (records: readonly { value: unknown }[]) => records.map(({ value }) => String(value))

type Records = readonly ConsumedRecord<string>[]

let bench: ReturnType<typeof openKafkaBench>
let groupId: string
beforeEach(({ task }) => {
  bench = openKafkaBench({ ...testEnv() })
  groupId = `group-${task.id}-${process.pid}`
})
afterEach(() => bench.close())

/** Keeps what its handler was given; `fail` decides what becomes of it. */
const collector = (fail: (records: Records) => unknown = () => undefined) => {
  const calls: Records[] = []
  const done: string[] = []
  const handle = async (records: Records) => {
    calls.push(records)
    const error = await fail(records)
    if (error !== undefined) throw error
    done.push(...valuesOf(records))
  }
  return { calls, done, handle }
}

const failFor =
  (error: unknown, ...bad: string[]) =>
  (records: Records) =>
    records.some(({ value }) => bad.includes(value)) ? error : undefined

const untilCommitted = (topic: string, offsets: number[]) =>
  vi.waitFor(async () => expect(await bench.committed(groupId, topic)).toEqual(offsets), waiting)

describe('the consumer', () => {
  it('hands records on in order, in batches, and commits them', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, numbers(25))
    const { handle, calls } = collector()
    await bench.consumer({ topic, groupId, handle, maxBatchRecords: 10 }).start()
    await untilCommitted(topic, [25])
    expect(calls.flatMap(valuesOf)).toEqual(numbers(25))
    expect(calls.map(({ length }) => length)).toEqual([10, 10, 5])
  })

  it('shows all of a fetch before it hands on the first part of it', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, numbers(25))
    const seen: string[] = []
    const { handle } = collector((records) => void seen.push(`handled ${records.length}`))
    const lookAhead = async (values: readonly string[]) => void seen.push(`saw ${values.length}`)
    await bench.consumer({ topic, groupId, handle, lookAhead, maxBatchRecords: 10 }).start()
    await untilCommitted(topic, [25])
    expect(seen).toEqual(['saw 25', 'handled 10', 'handled 10', 'handled 5'])
  })

  it('tells of a record what Kafka knows, carries its trace on, and begins one where there is none', async () => {
    const topic = await bench.createTopics()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = { traceparent, 'dropbell-replay-count': '2' }
    await bench.publisher.publish([
      { topic, key: 'k', value: Buffer.from('traced'), headers },
      { topic, key: null, value: Buffer.from('untraced') },
    ])
    const { handle, calls } = collector()
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [2])
    expect(calls[0]).toMatchObject([
      { topic, partition: 0, offset: '0', key: Buffer.from('k'), value: 'traced', traceparent, replayCount: 2 },
      { offset: '1', key: null, traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/), replayCount: 0 },
    ])
    expect(Math.abs(Date.now() - (calls[0]?.[0]?.timestamp ?? 0))).toBeLessThan(60_000)
  })

  it('dead-letters poison at once, and leaves its neighbours unharmed and in order', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'poison', 'b', 'poison', 'c'])
    const { handle, done } = collector()
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [5])
    expect(done).toEqual(['a', 'b', 'c'])
    expect(valuesOf(await bench.read(`${topic}.dlq`))).toEqual(['poison', 'poison'])
  })

  it('does not let one bad record take its neighbours along', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, numbers(40))
    const { handle, done } = collector(failFor(new PermanentError('BROKEN', 'broken'), '17'))
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [40])
    expect(done).toEqual(numbers(40).filter((value) => value !== '17'))
    expect(valuesOf(await bench.read(`${topic}.dlq`))).toEqual(['17'])
  })

  it('retries what may pass, and dead-letters nothing that does', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b'])
    let failures = 0
    const { handle, done } = collector(() =>
      failures++ < 3 ? new TransientError('DOWN', 'down', { dependency: 'x' }) : undefined,
    )
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [2])
    expect(done).toEqual(['a', 'b'])
    expect(await bench.read(`${topic}.dlq`)).toEqual([])
  })

  it('dead-letters what fails four times, as it was: bytes, headers, partition; and says why', async () => {
    const topic = await bench.createTopics(3)
    const headers = { 'dropbell-event-id': 'e-1', raw: Buffer.from([0, 255]), twice: ['1', '2'] }
    await bench.publisher.publish([{ topic, key: Buffer.from([7]), value: Buffer.from('bad'), headers, partition: 2 }])
    const { handle, calls } = collector(() => busy)
    const registry = createMetrics({ service: 'test' })
    await bench.consumer({ topic, groupId, handle, registry }).start()
    await vi.waitFor(async () => expect((await bench.committed(groupId, topic))[2]).toBe(1), waiting)
    expect(calls).toHaveLength(4)
    const [deadLetter] = await bench.read(`${topic}.dlq`)
    expect(deadLetter).toMatchObject({
      partition: 2,
      key: Buffer.from([7]),
      value: Buffer.from('bad'),
      headers: {
        'dropbell-event-id': Buffer.from('e-1'),
        raw: Buffer.from([0, 255]),
        twice: [Buffer.from('1'), Buffer.from('2')],
        'kafka_dlt-original-topic': Buffer.from(topic),
        'kafka_dlt-original-partition': Buffer.from([0, 0, 0, 2]),
        'kafka_dlt-original-offset': Buffer.alloc(8),
        'kafka_dlt-original-consumer-group': Buffer.from(groupId),
        'kafka_dlt-exception-fqcn': Buffer.from('TransientError.BUSY'),
        'kafka_dlt-exception-message': Buffer.from('busy'),
        'dropbell-attempts': Buffer.from('4'),
        'dropbell-replay-count': Buffer.from('0'),
      },
    })
    expect(await registry.metrics()).toContain(
      `dropbell_consumer_dead_letters_total{topic="${topic}",kind="exhausted",service="test"} 1`,
    )
  })

  it('waits between its tries as long as the policy says', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['bad'])
    const times: number[] = []
    const { handle } = collector(() => {
      times.push(performance.now())
      return busy
    })
    await bench.consumer({ topic, groupId, handle, policy: { ...policy, backoffMs: 300 } }).start()
    await untilCommitted(topic, [1])
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(gaps).toHaveLength(3)
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(295)
  })

  it('does not move past a record whose dead letter cannot be written, and goes on when it can', async () => {
    const topic = await bench.createTopic(`bench-no-dlq-${groupId}`)
    await bench.publish(topic, ['a', 'poison', 'b'])
    const { handle, done } = collector()
    const registry = createMetrics({ service: 'test' })
    const publisher = createPublisher({ ...bench, timeoutMs: 1_000 })
    await bench.consumer({ topic, groupId, handle, registry, publisher }).start()
    const failures = /dropbell_consumer_dead_letter_failures_total\{[^}]*\} [1-9]/
    await vi.waitFor(async () => expect(await registry.metrics()).toMatch(failures), waiting)
    expect(done).toEqual(['a', 'b'])
    expect(await bench.committed(groupId, topic)).toEqual([-1])
    expect(await bench.members(groupId)).toBe(1)
    await bench.createTopic(`${topic}.dlq`)
    await untilCommitted(topic, [3])
    // Perhaps more than once: an attempt that was given up after a second may have been written all the same.
    expect(new Set(valuesOf(await bench.read(`${topic}.dlq`)))).toEqual(new Set(['poison']))
    await publisher.close()
  })

  it('retries for ever when dead letters are off, and skips nothing', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b', 'c'])
    let healed = false
    const { handle, done, calls } = collector((records) => (healed ? undefined : failFor(busy, 'b')(records)))
    await bench.consumer({ topic, groupId, handle, policy: { ...policy, deadLetters: false } }).start()
    await vi.waitUntil(() => calls.length > 30, waiting)
    expect(await bench.committed(groupId, topic)).toEqual([-1])
    healed = true
    await untilCommitted(topic, [3])
    expect(done.sort()).toEqual(['a', 'b', 'c'])
    expect(await bench.read(`${topic}.dlq`)).toEqual([])
  })

  it('gives up only the records in hand in an outage, waits for the probe, and then does all the rest', async () => {
    const topic = await bench.createTopics(2)
    await Promise.all([0, 1].map((partition) => bench.publish(topic, numbers(100, `${partition}-`), partition)))
    let isDown = true
    const { handle, done } = collector(() =>
      isDown ? new TransientError('DOWN', 'down', { dependency: 'store' }) : undefined,
    )
    const probe = vi.fn(async () => {
      if (isDown) throw new Error('down')
    })
    const registry = createMetrics({ service: 'test' })
    const dependencies = { store: probe }
    await bench.consumer({ topic, groupId, handle, registry, dependencies, maxBatchRecords: 10 }).start()
    const paused = `dropbell_consumer_paused{topic="${topic}",service="test"}`
    await vi.waitFor(async () => expect(await registry.metrics()).toContain(`${paused} 1`), waiting)
    await vi.waitUntil(() => probe.mock.calls.length > 20, waiting)
    // At most a batch of each partition; kafkajs may have fetched one partition before the other.
    const [first = 0, second = 0] = await bench.committed(groupId, topic)
    expect([first, second].filter((offset) => offset > 10)).toEqual([])
    expect(await bench.members(groupId)).toBe(1)
    isDown = false
    await untilCommitted(topic, [100, 100])
    expect(await registry.metrics()).toContain(`${paused} 0`)
    const deadLetters = valuesOf(await bench.read(`${topic}.dlq`))
    expect(deadLetters.length).toBeLessThanOrEqual(20)
    expect(deadLetters.length).toBeGreaterThanOrEqual(10)
    expect([...done, ...deadLetters].sort()).toEqual([...numbers(100, '0-'), ...numbers(100, '1-')].sort())
  })

  it('stays in its group during a pause that is longer than its session', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b'])
    let isDown = true
    const { handle, done } = collector(() =>
      isDown ? new TransientError('DOWN', 'down', { dependency: 'store' }) : undefined,
    )
    const probe = async () => {
      if (isDown) throw new Error('down')
    }
    await bench.consumer({ topic, groupId, handle, dependencies: { store: probe }, maxBatchRecords: 1 }).start()
    await untilCommitted(topic, [1])
    const { groups } = await bench.admin.describeGroups([groupId])
    const pausedAt = performance.now()
    await vi.waitUntil(() => performance.now() - pausedAt > 8_000, waiting)
    expect((await bench.admin.describeGroups([groupId])).groups[0]?.members).toEqual(groups[0]?.members)
    isDown = false
    await untilCommitted(topic, [2])
    expect(done).toEqual(['b'])
  })
})

describe('the consumer, when it ends or is one of several,', () => {
  it('finishes the work in hand when it stops, and leaves the rest to the next', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, numbers(6))
    const inHand = deferred()
    const first = collector(() => inHand.promise as never)
    const consumer = bench.consumer({ topic, groupId, handle: first.handle, maxBatchRecords: 2 })
    await consumer.start()
    await vi.waitUntil(() => first.calls.length === 1, waiting)
    const stopped = consumer.stop()
    expect(consumer.stop()).toBe(stopped)
    inHand.resolve(undefined)
    await stopped
    expect(first.done).toEqual(['0', '1'])
    expect(await bench.committed(groupId, topic)).toEqual([2])
    const second = collector()
    await bench.consumer({ topic, groupId, handle: second.handle }).start()
    await untilCommitted(topic, [6])
    expect(second.done).toEqual(['2', '3', '4', '5'])
  })

  it('leaves a handler that takes too long when it stops, and the records are redelivered', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b'])
    const signals: AbortSignal[] = []
    const consumer = bench.consumer({
      topic,
      groupId,
      drainTimeoutMs: 100,
      handle: (_, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    await consumer.start()
    await vi.waitUntil(() => signals.length === 1, waiting)
    await consumer.stop()
    expect(signals[0]?.aborted).toBe(true)
    expect(await bench.committed(groupId, topic)).toEqual([-1])
    const next = collector()
    await bench.consumer({ topic, groupId, handle: next.handle }).start()
    await untilCommitted(topic, [2])
    expect(next.done).toEqual(['a', 'b'])
  })

  it('does not finish retries when it stops: the record is redelivered', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b', 'c'])
    const { handle, calls } = collector(failFor(busy, 'b'))
    const slow = { ...policy, backoffMs: 60_000 }
    const consumer = bench.consumer({ topic, groupId, handle, policy: slow })
    await consumer.start()
    await vi.waitUntil(() => calls.flat().some(({ value }) => value === 'c'), waiting)
    await consumer.stop()
    expect(await bench.committed(groupId, topic)).toEqual([1])
    expect(await bench.read(`${topic}.dlq`)).toEqual([])
  })

  it('loses nothing when its process is killed in mid-batch: another sees the records again', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'b', 'c', 'd', 'e'])
    const script = fileURLToPath(new URL('../testing/consume-and-hang.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=source', '--import=tsx', script, topic, groupId], {
      env: { PATH: process.env.PATH, ...testEnv() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    await vi.waitUntil(() => output.includes('c d'), waiting)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { handle, done } = collector()
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [5])
    expect(done).toEqual(['c', 'd', 'e'])
  })

  it('keeps its partitions during a long handler that reports progress', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a'])
    const { handle, calls } = collector()
    const begunAt = performance.now()
    await bench
      .consumer({
        topic,
        groupId,
        handle: async (records, { progress }) => {
          await handle(records)
          await vi.waitUntil(
            async () => {
              await progress()
              return performance.now() - begunAt > 9_000
            },
            { timeout: 20_000, interval: 200 },
          )
        },
      })
      .start()
    await untilCommitted(topic, [1])
    expect(calls).toHaveLength(1)
  })

  it('loses its partitions to another when its handler is stuck, and counts as dead after a while', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a'])
    const stuck = bench.consumer({
      topic,
      groupId,
      drainTimeoutMs: 100,
      stuckAfterMs: 3_000,
      handle: () => new Promise(() => {}),
    })
    await stuck.start()
    expect(stuck.isAlive()).toBe(true)
    const { handle, done } = collector()
    await bench.consumer({ topic, groupId, handle }).start()
    await untilCommitted(topic, [1])
    expect(done).toEqual(['a'])
    expect(stuck.isAlive()).toBe(false)
  })

  it('shares partitions with another, and nothing is lost while they come and go', async () => {
    const topic = await bench.createTopics(6)
    const first = collector()
    const second = collector()
    const one = bench.consumer({ topic, groupId, handle: first.handle, maxBatchRecords: 5 })
    await one.start()
    let published = 0
    let publishing = true
    const publish = async () => {
      for (; publishing; published++) {
        await bench.publisher.publish([{ topic, key: null, value: Buffer.from(String(published)) }])
      }
    }
    const publisher = publish()
    await vi.waitUntil(() => first.done.length > 50, waiting)
    await bench.consumer({ topic, groupId, handle: second.handle, maxBatchRecords: 5 }).start()
    await vi.waitUntil(() => second.done.length > 50, waiting)
    await one.stop()
    const taken = second.done.length
    await vi.waitUntil(() => second.done.length > taken + 200, waiting)
    publishing = false
    await publisher
    await vi.waitFor(() => {
      expect(new Set([...first.done, ...second.done]).size).toBe(published)
    }, waiting)
    // Whatever was handed over was finished first, so almost nothing is done twice.
    expect(first.done.length + second.done.length - published).toBeLessThan(50)
  })

  it('says in one line what became of a batch', async () => {
    const topic = await bench.createTopics()
    await bench.publish(topic, ['a', 'poison', 'b'])
    await bench.consumer({ topic, groupId, handle: collector().handle }).start()
    await untilCommitted(topic, [3])
    expect(bench.lines().filter(({ msg }) => msg === 'batch settled')).toMatchObject([
      {
        level: 'info',
        topic,
        partition: 0,
        groupId,
        firstOffset: '0',
        lastOffset: '2',
        records: 3,
        processed: 2,
        deadLettered: 1,
      },
    ])
  })

  it('fails to start on a topic that does not exist', async () => {
    const consumer = bench.consumer({ topic: 'no-such-topic', groupId, handle: async () => {} })
    await expect(consumer.start()).rejects.toMatchObject({ code: 'CONSUMER_START_FAILED' })
    await consumer.stop()
  })
})

const deferred = () => {
  let resolve: (value: unknown) => void = () => {}
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
