import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createBehaviorFields } from '@dropbell/schemas/behavior-fields'
import { collect } from '@dropbell/shared/testing/streams'
import { Client, type estypes } from '@elastic/elasticsearch'
import { afterAll, describe, expect, it } from 'vitest'
import { createActiveUsers } from './active-users.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const made: string[] = []
afterAll(async () => {
  await client.indices.delete({ index: made })
  await client.close()
})

const asOf = Date.UTC(2026, 10, 19)
const dayMs = 86_400_000
const { signal } = new AbortController()
const keyword = { type: 'keyword' } as const
const usual: estypes.MappingTypeMapping = {
  properties: { productId: keyword, userId: keyword, actionType: keyword, timestamp: { type: 'date' } },
}

const open = async (users: readonly { userId: string | number; timestamp: number }[], mappings = usual) => {
  const index = `active-${randomUUID()}`
  made.push(index)
  await client.indices.create({ index, mappings, settings: { number_of_shards: 2, number_of_replicas: 0 } })
  const operations = users.flatMap((user) => [{ index: {} }, { ...user, productId: 'P', actionType: 'VIEW' }])
  if (operations.length > 0) await client.bulk({ index, operations, refresh: true })
  return createActiveUsers({
    client,
    readFields: createBehaviorFields({ client, index }),
    config: { USER_BEHAVIOR_INDEX: index, RECOMMENDATION_ACTIVE_USER_DAYS: 7, RECOMMENDATION_PAGE_SIZE: 10 },
  })
}

describe('active users', () => {
  it('are those of the days before, the edges as in any audience, each once and page by page', async () => {
    const active = Array.from({ length: 35 }, (_, n) => `user-${String(n).padStart(2, '0')}`)
    const behaviors = active.flatMap((userId, n) => [
      { userId, timestamp: asOf - n * 1_000 },
      { userId, timestamp: asOf - 3 * dayMs },
    ])
    const { read, estimate } = await open([
      ...behaviors,
      { userId: 'too-early', timestamp: asOf - 7 * dayMs },
      { userId: 'just-in-time', timestamp: asOf - 7 * dayMs + 1 },
      { userId: 'too-late', timestamp: asOf + 1 },
    ])
    const pages = await collect(read(asOf, undefined, signal))
    expect(pages.map((page) => page.length)).toEqual([10, 10, 10, 6])
    expect(pages.flat()).toEqual(['just-in-time', ...active])
    expect(await estimate(asOf, signal)).toBe(36)
  })

  it('can be read on after any of them', async () => {
    const { read } = await open(['a', 'b', 'c', 'd'].map((userId) => ({ userId, timestamp: asOf })))
    expect((await collect(read(asOf, 'b', signal))).flat()).toEqual(['c', 'd'])
    expect(await collect(read(asOf, 'd', signal))).toEqual([])
  })

  it('are not waited for by whoever calls it off', async () => {
    const { read, estimate } = await open([{ userId: 'a', timestamp: asOf }])
    const calledOff = AbortSignal.abort()
    await expect(collect(read(asOf, undefined, calledOff))).rejects.toThrow(/abort/i)
    await expect(estimate(asOf, calledOff)).rejects.toThrow(/abort/i)
  })

  it('may have numbers for names, and are read on in their order', async () => {
    const mappings = { properties: { ...usual.properties, userId: { type: 'long' } as const } }
    const { read } = await open(
      [2, 10, 1].map((userId) => ({ userId, timestamp: asOf })),
      mappings,
    )
    expect((await collect(read(asOf, undefined, signal))).flat()).toEqual(['1', '2', '10'])
    expect((await collect(read(asOf, '2', signal))).flat()).toEqual(['10'])
  })

  it('are none where nobody did anything', async () => {
    const { read, estimate } = await open([])
    expect(await collect(read(asOf, undefined, signal))).toEqual([])
    expect(await estimate(asOf, signal)).toBe(0)
  })
})
