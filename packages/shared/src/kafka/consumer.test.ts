import type { Kafka } from 'kafkajs'
import { describe, expect, it, vi } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { captureLog } from '../testing/capture-log.ts'
import { type ConsumerOptions, createConsumer } from './consumer.ts'

/** Of kafkajs only what tells of a crash. */
const set = () => {
  const listeners = new Map<string, (event: object) => void>()
  const kafkaConsumer = {
    events: { GROUP_JOIN: 'join', CRASH: 'crash' },
    on: (event: string, listener: (event: object) => void) => listeners.set(event, listener),
    connect: vi.fn(async () => {}),
    subscribe: vi.fn(async () => {}),
    run: vi.fn(async () => {}),
    disconnect: vi.fn(async () => {}),
  }
  const settings: { retry?: { restartOnFailure(): Promise<boolean> } }[] = []
  const kafka = {
    consumer: (given: object) => {
      settings.push(given)
      return kafkaConsumer
    },
  } as unknown as Kafka
  const onFatal = vi.fn()
  const registry = createMetrics({ service: 'test' })
  const options: ConsumerOptions<string> = {
    kafka,
    groupId: 'g',
    topic: 't',
    decode: async () => [],
    handle: async () => {},
    publisher: { publish: async () => {} },
    policy: { deadLetters: true, topicSuffix: '.dlq', maxRetries: 3, backoffMs: 1_000 },
    dependencies: {},
    registry,
    log: captureLog('silent').log,
    onFatal,
    maxBatchRecords: 10,
    sessionTimeoutMs: 30_000,
    drainTimeoutMs: 100,
  }
  const crash = (restart: boolean) => listeners.get('crash')?.({ payload: { error: new Error('crashed'), restart } })
  return { consumer: createConsumer(options), options, kafkaConsumer, settings, onFatal, crash, registry }
}

describe('createConsumer', () => {
  it('is dead and says so when kafkajs gives up', () => {
    const { consumer, onFatal, crash } = set()
    expect(consumer.isAlive()).toBe(true)
    crash(false)
    expect(consumer.isAlive()).toBe(false)
    expect(onFatal).toHaveBeenCalledWith(new Error('crashed'))
  })

  it('lives on through a crash from which kafkajs restarts', () => {
    const { consumer, onFatal, crash } = set()
    crash(true)
    expect(consumer.isAlive()).toBe(true)
    expect(onFatal).not.toHaveBeenCalled()
  })

  it('is not restarted once it is stopped, and a crash while it stops kills nobody', async () => {
    const { consumer, settings, onFatal, crash } = set()
    expect(await settings[0]?.retry?.restartOnFailure()).toBe(true)
    await consumer.stop()
    expect(await settings[0]?.retry?.restartOnFailure()).toBe(false)
    crash(false)
    expect(onFatal).not.toHaveBeenCalled()
  })

  it('stops only after a start that is under way, which kafkajs would otherwise finish', async () => {
    const { consumer, kafkaConsumer } = set()
    let joined: () => void = () => {}
    kafkaConsumer.run.mockReturnValue(
      new Promise((resolve) => {
        joined = resolve
      }),
    )
    const started = consumer.start()
    const stopped = consumer.stop()
    await vi.waitUntil(() => kafkaConsumer.run.mock.calls.length === 1)
    expect(kafkaConsumer.disconnect).not.toHaveBeenCalled()
    joined()
    await Promise.all([started, stopped])
    expect(kafkaConsumer.disconnect).toHaveBeenCalledTimes(1)
  })

  it('does not hang when the stop does', async () => {
    const { consumer, kafkaConsumer } = set()
    vi.useFakeTimers()
    kafkaConsumer.disconnect.mockReturnValue(new Promise(() => {}))
    const stopped = expect(consumer.stop()).rejects.toMatchObject({ code: 'CONSUMER_STOP_TIMEOUT' })
    await vi.advanceTimersByTimeAsync(4_000)
    await stopped
    vi.useRealTimers()
  })

  it('shares its metrics with a consumer of another topic in the same service', async () => {
    const { options, registry } = set()
    createConsumer({ ...options, topic: 'other' })
    const metrics = await registry.metrics()
    for (const topic of ['t', 'other']) {
      expect(metrics).toContain(`dropbell_consumer_dead_letters_total{topic="${topic}",kind="decode",service="test"} 0`)
    }
  })
})
