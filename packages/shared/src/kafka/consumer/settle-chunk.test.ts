import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it, vi } from 'vitest'
import { PermanentError, TransientError } from '../../errors.ts'
import { createMetrics } from '../../metrics.ts'
import { captureLog } from '../../testing/capture-log.ts'
import type { OutgoingRecord } from '../publisher.ts'
import type { ConsumedRecord, HandlerContext } from './consumed-record.ts'
import { createConsumerMetrics } from './consumer-metrics.ts'
import { settleChunk } from './settle-chunk.ts'
import { createWork } from './work.ts'

const policy = { deadLetters: true, topicSuffix: '.dlq', maxRetries: 3, backoffMs: 1_000 }
const origin = { topic: 'orders', partition: 2 }
const busy = new TransientError('BUSY', 'busy')
const redisDown = new TransientError('REDIS_UNAVAILABLE', 'down', { dependency: 'redis' })
const broken = new PermanentError('BROKEN', 'broken')

const messagesOf = (...values: (string | null)[]): KafkaMessage[] =>
  values.map((value, index) => ({
    key: Buffer.from(`k${index}`),
    value: value === null ? null : Buffer.from(value),
    offset: String(100 + index),
    timestamp: '1700000000000',
    attributes: 0,
    headers: {},
  })) as KafkaMessage[]

type Records = readonly ConsumedRecord<string>[]

/** A chunk whose waits take no time, with what was asked of everybody. */
const set = (overrides: {
  handle?: (records: Records, context: HandlerContext) => Promise<void>
  decode?: (value: Buffer | null, call: number) => Error | undefined
  publish?: (records: readonly OutgoingRecord[]) => Promise<void>
  deadLetters?: boolean
  onWait?: (waits: number, interrupt: () => void) => void
}) => {
  const registry = createMetrics({ service: 'test' })
  const handled: string[][] = []
  const published: string[][] = []
  const waits: number[] = []
  const heartbeat = vi.fn(async () => {})
  let decodeCalls = 0
  const work = createWork({
    heartbeat,
    isCurrent: () => true,
    heartbeatIntervalMs: 10_000,
    drainTimeoutMs: 20,
    sleep: async (ms) => {
      waits.push(ms)
      overrides.onWait?.(waits.length, () => work.interrupt())
    },
  })
  const settle = (messages: KafkaMessage[]) =>
    settleChunk<string>(
      {
        groupId: 'orders-group',
        policy: { ...policy, deadLetters: overrides.deadLetters ?? true },
        metrics: createConsumerMetrics({ registry, topic: 'orders', dependencies: ['redis'] }),
        log: captureLog().log,
        decode: async (values) => {
          decodeCalls++
          return values.map((value) => {
            const error = overrides.decode?.(value, decodeCalls)
            return error === undefined
              ? { ok: true, value: String(value) }
              : { ok: false, error: error as PermanentError }
          })
        },
        handle: async (records, context) => {
          handled.push(records.map(({ value }) => value))
          await overrides.handle?.(records, context)
        },
        publish: async (records) => {
          await overrides.publish?.(records)
          published.push(records.map(({ value }) => String(value)))
        },
      },
      origin,
      messages,
      work,
    ).finally(work.end)
  return { settle, handled, published, waits, heartbeat, registry }
}

const failFor = (error: unknown, ...bad: string[]) => {
  return async (records: Records) => {
    if (records.some(({ value }) => bad.includes(value))) throw error
  }
}

describe('settleChunk', () => {
  it('hands all records to the handler together, decoded, and is done', async () => {
    const { settle, handled, waits } = set({})
    expect(await settle(messagesOf('a', 'b', 'c'))).toEqual({
      lastOffset: '102',
      processed: 3,
      deadLettered: 0,
      unsettled: 0,
      rounds: 1,
      outages: new Set(),
    })
    expect(handled).toEqual([['a', 'b', 'c']])
    expect(waits).toEqual([])
  })

  it('tries a failing record once and three times more, a second apart, then dead-letters it', async () => {
    const { settle, handled, published, waits, registry } = set({ handle: failFor(busy, 'b') })
    expect(await settle(messagesOf('a', 'b', 'c'))).toMatchObject({ processed: 2, deadLettered: 1, rounds: 4 })
    expect(handled).toEqual([['a', 'b', 'c'], ['a', 'b'], ['a'], ['b'], ['c'], ['b'], ['b'], ['b']])
    expect(waits).toEqual([1_000, 1_000, 1_000])
    expect(published).toEqual([['b']])
    const metrics = await registry.metrics()
    expect(metrics).toContain('dropbell_consumer_retries_total{topic="orders",service="test"} 3')
    expect(metrics).toContain('dropbell_consumer_dead_letters_total{topic="orders",kind="exhausted",service="test"} 1')
  })

  it('lets all failing records of a chunk wait together', async () => {
    const { settle, waits, published } = set({ handle: failFor(busy, 'a', 'c', 'd') })
    await settle(messagesOf('a', 'b', 'c', 'd'))
    expect(waits).toHaveLength(3)
    expect(published).toEqual([['a', 'c', 'd']])
  })

  it('is content with a record that succeeds when retried', async () => {
    let tries = 0
    const { settle, published } = set({
      handle: async () => {
        if (++tries < 3) throw busy
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ processed: 1, deadLettered: 0, rounds: 3 })
    expect(published).toEqual([])
  })

  it('dead-letters at once what is permanently broken', async () => {
    const { settle, waits, published } = set({ handle: failFor(broken, 'b') })
    expect(await settle(messagesOf('a', 'b'))).toMatchObject({ processed: 1, deadLettered: 1, rounds: 1 })
    expect([waits, published]).toEqual([[], [['b']]])
  })

  it('retries a bug, then dead-letters it', async () => {
    const { settle, published } = set({ handle: failFor(new TypeError('x'), 'b') })
    expect(await settle(messagesOf('a', 'b'))).toMatchObject({ processed: 1, deadLettered: 1, rounds: 4 })
    expect(published).toEqual([['b']])
  })

  it('dead-letters undecodable bytes at once; the handler does not see them, their neighbours are unharmed', async () => {
    const { settle, handled, published, registry } = set({ decode: (value) => (value === null ? broken : undefined) })
    expect(await settle(messagesOf('a', null, 'c'))).toMatchObject({ processed: 2, deadLettered: 1, rounds: 1 })
    expect(handled).toEqual([['a', 'c']])
    expect(published).toEqual([['null']])
    expect(await registry.metrics()).toContain('kind="decode",service="test"} 1')
  })

  it('retries what could not be decoded because the registry is down, without decoding the others again', async () => {
    const decoded: string[] = []
    const unavailable = new TransientError('REGISTRY_UNAVAILABLE', 'down')
    const { settle, handled } = set({
      decode: (value, call) => {
        decoded.push(String(value))
        return call < 3 && String(value) === 'b' ? unavailable : undefined
      },
    })
    expect(await settle(messagesOf('a', 'b'))).toMatchObject({ processed: 2, rounds: 3 })
    expect(decoded).toEqual(['a', 'b', 'b', 'b'])
    expect(handled).toEqual([['a'], ['b']])
  })

  it('reports the registry as the outage when it stays down', async () => {
    const { settle } = set({ decode: () => new TransientError('REGISTRY_UNAVAILABLE', 'down') })
    expect(await settle(messagesOf('a', 'b'))).toMatchObject({ deadLettered: 2, outages: new Set(['schema-registry']) })
  })

  it('retries a chunk whole for a dependency that is down, dead-letters it, and reports the outage', async () => {
    const { settle, handled, published } = set({ handle: () => Promise.reject(redisDown) })
    const settled = await settle(messagesOf('a', 'b', 'c'))
    expect(settled).toMatchObject({ deadLettered: 3, rounds: 4, outages: new Set(['redis']) })
    expect(handled).toEqual(Array.from({ length: 4 }, () => ['a', 'b', 'c']))
    expect(published).toEqual([['a', 'b', 'c']])
  })

  it('reports no outage when the dependency is back in time', async () => {
    let tries = 0
    const { settle } = set({
      handle: async () => {
        if (++tries < 4) throw redisDown
      },
    })
    expect(await settle(messagesOf('a', 'b'))).toMatchObject({ processed: 2, outages: new Set() })
  })

  it('keeps a record whose dead letter cannot be written, and goes on trying both', async () => {
    let refusals = 0
    const { settle, handled, published, registry } = set({
      handle: failFor(busy, 'a'),
      publish: async () => {
        if (++refusals <= 2) throw new TransientError('PUBLISH_FAILED', 'no such topic', { dependency: 'kafka' })
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ deadLettered: 1, rounds: 6 })
    expect(handled).toHaveLength(6)
    expect(published).toEqual([['a']])
    expect(await registry.metrics()).toContain(
      'dropbell_consumer_dead_letter_failures_total{topic="orders",service="test"} 2',
    )
  })

  it('does not hand a broken record to the handler again only because its dead letter could not be written', async () => {
    let refusals = 0
    const { settle, handled } = set({
      handle: failFor(broken, 'a'),
      publish: async () => {
        if (++refusals <= 2) throw new Error('refused')
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ deadLettered: 1, rounds: 3 })
    expect(handled).toEqual([['a']])
  })

  it('writes the other dead letters when one is refused, once', async () => {
    const { settle, published } = set({
      handle: failFor(broken, 'a', 'b', 'c'),
      publish: async (records) => {
        if (records.some(({ value }) => String(value) === 'b'))
          throw new PermanentError('RECORD_TOO_LARGE', 'too large')
      },
      onWait: (waits, interrupt) => waits === 3 && interrupt(),
    })
    expect(await settle(messagesOf('a', 'b', 'c'))).toMatchObject({ deadLettered: 2, unsettled: 1, lastOffset: '100' })
    expect(published).toEqual([['a'], ['c']])
  })

  it.each([busy, broken, redisDown, new TypeError('x')])('never gives up without dead letters: %s', async (error) => {
    let tries = 0
    const { settle, published } = set({
      deadLetters: false,
      handle: async () => {
        if (++tries < 50) throw error
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ processed: 1, rounds: 50 })
    expect(published).toEqual([])
  })

  it('stops retrying when interrupted, and settles only what has nothing unsettled before it', async () => {
    const { settle, published } = set({ handle: failFor(busy, 'c'), onWait: (_, interrupt) => interrupt() })
    expect(await settle(messagesOf('a', 'b', 'c', 'd'))).toMatchObject({
      lastOffset: '101',
      processed: 3,
      unsettled: 1,
      rounds: 1,
    })
    expect(published).toEqual([])
  })

  it('does not hold against a record what its handler throws after it was told to come to an end', async () => {
    let interrupt = (): void => {}
    let calls = 0
    const { settle, published } = set({
      onWait: (_, stop) => {
        interrupt = stop
      },
      handle: async (_, { isInterrupted }) => {
        // The last try it has, and no longer its own fault.
        if (++calls === 4) interrupt()
        if (calls < 4 || isInterrupted()) throw busy
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ processed: 0, deadLettered: 0, unsettled: 1 })
    expect(published).toEqual([])
  })

  it('settles nothing when the first record is left', async () => {
    const { settle } = set({ handle: failFor(busy, 'a'), onWait: (_, interrupt) => interrupt() })
    expect((await settle(messagesOf('a', 'b'))).lastOffset).toBeUndefined()
  })

  it('leaves a handler that does not end when the time is up', async () => {
    const { settle, heartbeat } = set({ handle: () => new Promise(() => {}) })
    heartbeat.mockRejectedValue(new Error('rebalancing'))
    expect(await settle(messagesOf('a'))).toMatchObject({ processed: 0, unsettled: 1, lastOffset: undefined })
  })

  it('treats a handler that throws at once like one that rejects', async () => {
    const { settle } = set({
      handle: () => {
        throw broken
      },
    })
    expect(await settle(messagesOf('a'))).toMatchObject({ deadLettered: 1 })
  })

  it('tells the group of its progress while it waits', async () => {
    const { settle, heartbeat } = set({ handle: failFor(busy, 'a') })
    await settle(messagesOf('a'))
    // Decoding, four tries, three waits, one dead letter.
    expect(heartbeat).toHaveBeenCalledTimes(9)
  })
})
