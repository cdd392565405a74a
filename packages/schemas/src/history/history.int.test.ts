import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { TransientError } from '@dropbell/shared/errors'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NotificationOutcome } from '../generated/notification-outcome.ts'
import { sampleOutcome } from '../testing/sample-outcome.ts'
import { historyDocumentOf } from './history-document.ts'
import { applyHistoryIndices, assertHistoryTemplate, createHistoryIndex } from './history-indices.ts'
import { historyIndexOf } from './history-month.ts'
import { historyTemplate } from './history-template.ts'
import { type HistoryQuery, readHistory } from './read-history.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const alias = `history-${randomUUID()}`
const taken = `taken-${randomUUID()}`
const january = Date.UTC(2026, 0, 15)
const february = Date.UTC(2026, 1, 15)

const save = async (outcome: NotificationOutcome): Promise<void> => {
  const index = historyIndexOf(alias, outcome.eventTimestamp as number)
  await createHistoryIndex(client, alias, index)
  await client.index({ index, id: outcome.notificationId, document: historyDocumentOf(outcome), refresh: true })
}

beforeAll(() => applyHistoryIndices(client, alias, january))
afterAll(async () => {
  const names = [alias, taken]
  const indices = Object.keys(await client.indices.get({ index: names.map((name) => `${name}*`) }))
  await client.indices.delete({ index: indices })
  for (const name of names) {
    await client.indices.deleteIndexTemplate({ name: historyTemplate(name).name }, { ignore: [404] })
  }
  await client.close()
})

describe('the indices of the history', () => {
  it('can be searched before there is anything in them, and applied again', async () => {
    await applyHistoryIndices(client, alias, january)
    await assertHistoryTemplate(client, alias)
    expect(await readHistory(client, { alias, limit: 10 })).toEqual([])
  })

  it('take no field that they do not know', async () => {
    const document = { ...historyDocumentOf(sampleOutcome()), surprise: 1 }
    const index = historyIndexOf(alias, january)
    await expect(client.index({ index, document })).rejects.toMatchObject({ statusCode: 400 })
  })

  it('learn of new fields when the template is applied again', async () => {
    const index = `${alias}-2025.11`
    const template = historyTemplate(alias)
    const { traceparent: _, ...older } = template.template.mappings.properties
    const mappings = { dynamic: 'strict' as const, properties: older }
    await client.indices.putIndexTemplate({ ...template, template: { ...template.template, mappings } })
    await client.indices.create({ index })
    const fields = async () =>
      Object.keys((await client.indices.getMapping({ index }))[index]?.mappings.properties ?? {})
    expect(await fields()).not.toContain('traceparent')
    await applyHistoryIndices(client, alias, january)
    expect(await fields()).toContain('traceparent')
  })

  it('are made by several at once', async () => {
    const index = `${alias}-2025.12`
    await Promise.all([1, 2, 3].map(() => createHistoryIndex(client, alias, index)))
    expect(await client.indices.existsAlias({ index, name: alias })).toBe(true)
  })

  it('are not made without the template: whoever operates the cluster is told what to do', async () => {
    const bare = `bare-${randomUUID()}`
    const failure = await createHistoryIndex(client, bare, `${bare}-2026.01`).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({
      code: 'HISTORY_TEMPLATE_MISSING',
      dependency: 'elasticsearch',
      message: expect.stringContaining('dropbell indices apply'),
    })
    expect(await client.indices.exists({ index: `${bare}-2026.01` })).toBe(false)
  })

  it('do not replace an index that has the name of the alias', async () => {
    await client.indices.create({ index: taken })
    await expect(applyHistoryIndices(client, taken)).rejects.toMatchObject({ code: 'HISTORY_ALIAS_TAKEN' })
  })
})

describe('reading the history', () => {
  const outcomes = [
    sampleOutcome({ notificationId: 'a', userId: 'ann', eventId: 'e1', occurredAt: january, eventTimestamp: january }),
    sampleOutcome({
      notificationId: 'b',
      userId: 'ann',
      eventId: 'e2',
      occurredAt: february,
      eventTimestamp: february,
    }),
    sampleOutcome({
      ...{ notificationId: 'c', userId: 'bob', eventId: 'e1', occurredAt: january + 1, eventTimestamp: january },
      ...{ status: 'RATE_LIMITED', reason: 'DAILY_LIMIT', dayCount: 10, results: [] },
    }),
    sampleOutcome({ notificationId: 'd', userId: null, eventId: 'e1', occurredAt: 1, eventTimestamp: january }),
  ]
  const idsOf = async (query: Partial<HistoryQuery>) =>
    (await readHistory(client, { alias, limit: 100, ...query })).map(({ notificationId }) => notificationId)

  beforeAll(async () => {
    for (const outcome of outcomes) await save(outcome)
  })

  it('gives back the documents as they were written', async () => {
    const [ann] = await readHistory(client, { alias, notificationId: 'a', limit: 1 })
    expect(ann).toEqual(historyDocumentOf(outcomes[0] as NotificationOutcome))
  })

  it('finds the newest first, in all months', async () => {
    expect(await idsOf({})).toEqual(['b', 'c', 'a', 'd'])
    expect(await idsOf({ limit: 2 })).toEqual(['b', 'c'])
  })

  it.each([
    [{ userId: 'ann' }, ['b', 'a']],
    [{ eventId: 'e1' }, ['c', 'a', 'd']],
    [{ eventId: 'e1', userId: 'ann' }, ['a']],
    [{ since: january + 1 }, ['b', 'c']],
    [{ userId: 'nobody' }, []],
  ])('finds what is asked for: %j', async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected)
  })

  it('fails as whoever reads it knows it', async () => {
    const failure = readHistory(client, { alias: `missing-${randomUUID()}`, limit: 1 })
    await expect(failure).rejects.toMatchObject({ code: 'ELASTICSEARCH_INDEX_MISSING' })
  })
})
