import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createCodec } from '@dropbell/schemas/codec'
import { newestVersion } from '@dropbell/schemas/contract'
import { createMemoryRegistry } from '@dropbell/schemas/testing/memory-registry'
import { notificationOutcomeTopic, notificationPushTopic, subjectOf } from '@dropbell/schemas/topics'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { TransientError } from '@dropbell/shared/errors'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { createMetrics } from '@dropbell/shared/metrics'
import { collect, streamOf } from '@dropbell/shared/testing/streams'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAdmit } from './admit.ts'
import { notificationConfig } from './config.ts'
import { createLocalDateAt } from './local-date.ts'
import { createNotificationMetrics } from './notification-metrics.ts'
import { partsOf } from './parts-of.ts'
import { createNotificationProducer } from './produce-notifications.ts'
import { type OpenGate, openGate } from './testing/open-gate.ts'
import { samplePriceDrop } from './testing/sample-triggers.ts'

let opened: OpenGate
beforeEach(() => {
  opened = openGate({ ...testEnv() })
})
afterEach(() => opened.close())

const setUp = async (publish: (records: readonly OutgoingRecord[]) => Promise<void>) => {
  const registry = createMemoryRegistry()
  for (const topic of [notificationPushTopic, notificationOutcomeTopic]) {
    await registry.register(subjectOf(topic), newestVersion(topic.contract).schema)
  }
  const notification = createCodec({ topic: notificationPushTopic, registry })
  const outcome = createCodec({ topic: notificationOutcomeTopic, registry })
  const metrics = createNotificationMetrics(createMetrics({ service: 'test' }))
  const admit = createAdmit({
    readRecipients: async () => new Map(),
    findKnown: async () => new Set(),
    gate: opened.gate,
    localDateAt: createLocalDateAt({ onUnknownZone: () => {} }),
    metrics,
  })
  const produce = createNotificationProducer({
    admit,
    codecs: { notification, outcome },
    publisher: { publish },
    config: loadConfig(defineConfig(notificationConfig), {}),
    clock: { now: () => samplePriceDrop.eventTimestamp, wait: async () => {} },
    metrics,
  })
  const page = { users: ['a', 'b'], traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  return {
    produce: async (eventId = 'evt-1') => {
      const parts = partsOf(streamOf([{ ...page, trigger: { ...samplePriceDrop, eventId } }]), 100)
      const watch = { signal: new AbortController().signal, progress: async () => {} }
      const produced = await collect(produce(parts, watch))
      return produced.map(({ published, refused }) => ({ published, refused }))
    },
    idsIn: (records: readonly OutgoingRecord[]) =>
      Promise.all(records.map(async ({ value }) => (await notification.decode(value)).notificationId)),
  }
}

describe('a publish that failed, but may have been written', () => {
  it('releases nothing: the retry makes the same notifications, and another event is a duplicate', async () => {
    const written: OutgoingRecord[][] = []
    const { produce, idsIn } = await setUp(async (records) => {
      written.push([...records])
      if (written.length === 1)
        throw new TransientError('PUBLISH_FAILED', 'no acknowledgement', { dependency: 'kafka' })
    })
    await expect(produce()).rejects.toMatchObject({ code: 'PUBLISH_FAILED' })
    expect(await produce('evt-2')).toEqual([{ published: 0, refused: { duplicate: 2 } }])
    expect(await produce()).toEqual([{ published: 2, refused: {} }])
    const [first = [], , retried = []] = written
    expect(await idsIn(retried)).toEqual(await idsIn(first))
    const counts = ['a', 'b'].map((userId) => opened.observer.get(opened.keys.daily(userId, '2026-01-15')))
    expect(await Promise.all(counts)).toEqual(['1', '1'])
  })
})
