import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { historyDocumentOf } from '@dropbell/schemas/history/history-document'
import { historyTemplate } from '@dropbell/schemas/history/history-template'
import { deadLetterHeaders, recordHeaders } from '@dropbell/shared/kafka/headers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHistoryWorld, freshOutcome, type HistoryWorld, refusal } from './testing/history-world.ts'

const inTime = { timeout: 20_000, interval: 100 }

let world: HistoryWorld
let service: Awaited<ReturnType<HistoryWorld['start']>>

beforeAll(async () => {
  world = await createHistoryWorld()
  service = await world.start()
})
afterAll(() => world.close())

const found = async ({ notificationId }: NotificationOutcome) =>
  (await world.search()).filter((document) => document.notificationId === notificationId)

const counted = async (result: string): Promise<number> => {
  const text = await (await service.get('/metrics')).text()
  const line = text.split('\n').find((one) => one.startsWith(`dropbell_history_documents_total{result="${result}"`))
  return Number(line?.split(' ').at(-1))
}

describe('an outcome', () => {
  it('is in the history with its results, under the id of its notification', async () => {
    const outcome = freshOutcome()
    await world.publish([outcome])
    await world.untilRead()
    expect(await found(outcome)).toEqual([historyDocumentOf(outcome)])
  })

  it('of everybody whom a stopped fan-out did not tell is there too', async () => {
    const summary = freshOutcome({ userId: null, title: null, status: 'STALE', reason: 'SOLD_OUT', results: [] })
    await world.publish([{ ...summary, revision: 0 }])
    await world.untilRead()
    expect(await found(summary)).toMatchObject([{ userId: null, status: 'STALE', reason: 'SOLD_OUT', sentAt: null }])
  })

  it('of a replay that is refused hides nothing that was sent, before or after it', async () => {
    const sent = freshOutcome()
    await world.publish([sent])
    await world.untilRead()
    const before = await counted('superseded')
    await world.publish([refusal(sent)])
    await world.untilRead()
    expect(await found(sent)).toMatchObject([{ status: 'SENT', revision: 1 }])
    expect(await counted('superseded')).toBe(before + 1)
  })

  it('that comes later takes the place of a refusal', async () => {
    const sent = freshOutcome()
    await world.publish([refusal(sent)])
    await world.untilRead()
    expect(await found(sent)).toMatchObject([{ status: 'RATE_LIMITED', blockingEventId: 'evt-0' }])
    await world.publish([sent])
    await world.untilRead()
    expect(await found(sent)).toMatchObject([{ status: 'SENT', blockingEventId: null }])
  })
})

describe('outcomes that are redelivered, reordered and replayed', () => {
  it('leave the newest of each notification, once', async () => {
    const revisionsOf = (outcome: NotificationOutcome): NotificationOutcome[] => [
      refusal(outcome),
      { ...outcome, revision: 1, status: 'DEFERRED', reason: 'UNAVAILABLE' },
      { ...outcome, revision: 2, status: 'DEFERRED', reason: 'INTERNAL' },
      { ...outcome, revision: 3, status: 'SENT' },
    ]
    const newest = Array.from({ length: 100 }, () => freshOutcome({ revision: 3 }))
    const all = newest.flatMap(revisionsOf)
    // Thrice, each time in another order, and over all partitions, as no producer would do it.
    for (const step of [7, 111, 293]) {
      const reordered = all.map((_, i) => all[(i * step) % all.length] as NotificationOutcome)
      await Promise.all(
        [0, 1, 2, 3, 4, 5].map((partition) =>
          world.publish(
            reordered.filter((_, i) => i % 6 === partition),
            partition,
          ),
        ),
      )
    }
    await world.untilRead()
    const ids = new Set(newest.map(({ notificationId }) => notificationId))
    const documents = (await world.search()).filter(({ notificationId }) => ids.has(notificationId))
    expect(documents).toHaveLength(newest.length)
    expect(documents.filter(({ status, revision }) => status !== 'SENT' || revision !== 3)).toEqual([])
  })

  it('stay in the month of their event, in whatever month they come', async () => {
    const january = Date.UTC(2026, 0, 31, 23, 59, 59)
    const february = Date.UTC(2026, 1, 1)
    const first = freshOutcome({ eventTimestamp: january, occurredAt: january, status: 'DEFERRED', results: [] })
    await world.publish([first])
    await world.publish([{ ...first, revision: 2, occurredAt: february, status: 'SENT' }])
    await world.publish([{ ...refusal(first), occurredAt: february + 1 }])
    await world.untilRead()
    expect(await found(first)).toMatchObject([{ status: 'SENT', occurredAt: february }])
    const { body: index } = await world.client.get(
      { index: `${world.name}-2026.01`, id: first.notificationId },
      { meta: true },
    )
    expect(index).toMatchObject({ found: true, _version: 3 })
    expect(await world.client.indices.exists({ index: `${world.name}-2026.02` })).toBe(false)
  })

  it('of a writer of version 1 meet by the header', async () => {
    const january = Date.UTC(2026, 0, 31)
    const outcome = freshOutcome({ occurredAt: Date.UTC(2026, 1, 1) })
    const headers = { [recordHeaders.eventTimestamp]: String(january) }
    await world.send([{ key: outcome.userId, value: await world.encodeVersionOne(outcome), headers }])
    await world.publish([{ ...outcome, revision: 2, eventTimestamp: january }])
    await world.untilRead()
    expect(await found(outcome)).toMatchObject([{ revision: 2 }])
    expect(await world.client.exists({ index: `${world.name}-2026.01`, id: outcome.notificationId })).toBe(true)
  })
})

describe('a document that the mapping rejects', () => {
  it('is dead-lettered at once with the reason, and its neighbours are indexed', async () => {
    const before = world.deadLetters.length
    // Longer than any term that Elasticsearch takes.
    const rejected = freshOutcome({ eventId: 'x'.repeat(40_000) })
    const neighbours = Array.from({ length: 20 }, () => freshOutcome())
    await world.publish([...neighbours.slice(0, 10), rejected, ...neighbours.slice(10)], 0)
    await world.untilRead()
    await vi.waitFor(() => expect(world.deadLetters).toHaveLength(before + 1), inTime)
    const [letter] = world.deadLetters.slice(before)
    expect(await world.codec.decode(letter?.value as Buffer)).toMatchObject({ notificationId: rejected.notificationId })
    const headers = Object.fromEntries(
      Object.entries(letter?.headers ?? {}).map(([key, value]) => [key, String(value)]),
    )
    expect(headers).toMatchObject({
      [deadLetterHeaders.exceptionFqcn]: 'PermanentError.ELASTICSEARCH_REFUSED',
      [deadLetterHeaders.exceptionMessage]: expect.stringContaining('eventId'),
      [recordHeaders.attempts]: '1',
    })
    const documents = new Set((await world.search()).map(({ notificationId }) => notificationId))
    expect(neighbours.filter(({ notificationId }) => !documents.has(notificationId))).toEqual([])
    expect(documents).not.toContain(rejected.notificationId)
    // Sent once: nothing was searched for by trying again.
    expect(await counted('refused')).toBe(1)
  })

  it('is what an index becomes that does not know a field yet; replayed after `indices apply`, it is there', async () => {
    const march = Date.UTC(2026, 2, 15)
    const index = `${world.name}-2026.03`
    const { aliases, mappings } = historyTemplate(world.name).template
    const { traceparent: _, ...properties } = mappings.properties
    await world.client.indices.putIndexTemplate({
      ...{ name: `older-${world.name}`, index_patterns: [index], priority: 600 },
      template: { aliases, mappings: { ...mappings, properties } },
    })
    const before = world.deadLetters.length
    const outcome = freshOutcome({ eventTimestamp: march })
    await world.publish([outcome])
    await vi.waitFor(() => expect(world.deadLetters).toHaveLength(before + 1), inTime)
    await world.client.indices.deleteIndexTemplate({ name: `older-${world.name}` })
    await world.client.indices.putMapping({ index: world.name, ...mappings })
    const [letter] = world.deadLetters.slice(before)
    await world.send([{ key: letter?.key ?? null, value: letter?.value ?? null }])
    await vi.waitFor(async () => expect(await found(outcome)).toHaveLength(1), inTime)
  })
})

describe('a document that has to wait', () => {
  it('is tried again, alone, and is no dead letter', async () => {
    const index = `${world.name}-2025.06`
    const [waiting, neighbour] = [freshOutcome({ eventTimestamp: Date.UTC(2025, 5, 5) }), freshOutcome()]
    await world.client.indices.create({ index })
    await world.client.indices.addBlock({ index, block: 'write' })
    const before = {
      letters: world.deadLetters.length,
      failed: await counted('failed'),
      indexed: await counted('indexed'),
    }
    await world.publish([waiting, neighbour], 2)
    await vi.waitFor(async () => expect(await counted('failed')).toBeGreaterThan(before.failed), inTime)
    expect(await counted('indexed')).toBe(before.indexed + 1)
    await world.client.indices.putSettings({ index, settings: { 'index.blocks.write': false } })
    await world.untilRead()
    expect(await counted('indexed')).toBe(before.indexed + 2)
    for (const outcome of [waiting, neighbour]) expect(await found(outcome)).toHaveLength(1)
    expect(world.deadLetters).toHaveLength(before.letters)
  })
})

describe('bytes that are no outcome', () => {
  it('are dead-lettered, and their neighbours are indexed', async () => {
    const before = world.deadLetters.length
    const outcome = freshOutcome()
    const value = await world.codec.encode(outcome)
    const nameless = await world.codec.encode(freshOutcome({ notificationId: '' }))
    await world.send([Buffer.from('no outcome'), value, nameless].map((bytes) => ({ value: bytes, partition: 1 })))
    await world.untilRead()
    await vi.waitFor(() => expect(world.deadLetters).toHaveLength(before + 2), inTime)
    expect(await found(outcome)).toHaveLength(1)
  })
})

describe('the service', () => {
  it('says that it is ready', async () => {
    expect((await service.get('/readyz')).status).toBe(200)
  })

  it('makes an index anew that somebody deleted', async () => {
    const outcome = freshOutcome({ eventTimestamp: Date.UTC(2025, 4, 5) })
    await world.publish([outcome])
    await world.untilRead()
    await world.client.indices.delete({ index: `${world.name}-2025.05` })
    await world.publish([outcome])
    await world.untilRead()
    expect(await found(outcome)).toHaveLength(1)
  })

  it('does not start without the template, and says what to do', async () => {
    const bare = await createHistoryWorld()
    await bare.client.indices.deleteIndexTemplate({ name: historyTemplate(bare.name).name })
    await expect(bare.start()).rejects.toMatchObject({
      code: 'HISTORY_TEMPLATE_MISSING',
      message: expect.stringContaining('dropbell indices apply'),
    })
    await bare.client.indices.putIndexTemplate(historyTemplate(bare.name))
    await bare.close()
  })
})
