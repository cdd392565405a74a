import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createBehaviorFields } from '@dropbell/schemas/behavior-fields'
import { PermanentError } from '@dropbell/shared/errors'
import { Client, type estypes } from '@elastic/elasticsearch'
import { afterAll, describe, expect, it } from 'vitest'
import type { TargetTrigger } from './target-query.ts'
import { indexBehaviors } from './testing/behaviors.ts'
import { createTestResolver } from './testing/target-resolver.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const made: string[] = []
afterAll(async () => {
  await client.indices.delete({ index: made })
  await client.close()
})

const createIndex = async (mappings: estypes.MappingTypeMapping = {}): Promise<string> => {
  const index = `fields-${randomUUID()}`
  await client.indices.create({ index, mappings, settings: { number_of_replicas: 0 } })
  made.push(index)
  return index
}

const keyword = { type: 'keyword' } as const
const keywords: estypes.MappingTypeMapping = {
  properties: { productId: keyword, userId: keyword, actionType: keyword, timestamp: { type: 'date' } },
}
const eventTime = Date.UTC(2026, 0, 15)
const behavior = { productId: 'p', userId: 'u', actionType: 'VIEW', timestamp: '2026-01-14T00:00:00Z' }
const drop: TargetTrigger = { kind: 'price-drop', eventId: 'e', productId: 'p', timestamp: eventTime }

describe('the fields of the behaviour index', () => {
  it('are the keywords themselves where they are mapped so', async () => {
    expect(await createBehaviorFields({ client, index: await createIndex(keywords) })()).toEqual({
      productId: 'productId',
      userId: 'userId',
      actionType: 'actionType',
      timestamp: 'timestamp',
    })
  })

  it('are the keywords beside the texts of a plain mapping', async () => {
    const index = await createIndex()
    await indexBehaviors(client, index, [behavior])
    expect(await createBehaviorFields({ client, index })()).toEqual({
      productId: 'productId.keyword',
      userId: 'userId.keyword',
      actionType: 'actionType.keyword',
      timestamp: 'timestamp',
    })
  })

  it('may be numbers', async () => {
    const index = await createIndex()
    await indexBehaviors(client, index, [{ ...behavior, productId: 7, userId: 42, timestamp: eventTime }])
    const trigger = { ...drop, productId: '7' }
    const { usersOf } = createTestResolver({ client, index, config: { TARGET_PAGE_SIZE: 1 } })
    expect(await usersOf([trigger])).toEqual([['42']])
    expect(await usersOf([{ ...trigger, after: { userId: '42', servedUsers: 1 } }])).toEqual([[]])
  })

  it('are unknown in an index without documents, where nobody is found and nothing fails', async () => {
    const index = await createIndex()
    expect(await createBehaviorFields({ client, index })()).toBeUndefined()
    const { usersOf } = createTestResolver({ client, index })
    expect(await usersOf([drop])).toEqual([[]])
    await indexBehaviors(client, index, [behavior])
    expect(await usersOf([drop])).toEqual([['u']])
  })

  it('are refused where nobody could be found by them', async () => {
    const textOnly = await createIndex({ properties: { ...keywords.properties, userId: { type: 'text' } } })
    const failure = await createBehaviorFields({ client, index: textOnly })().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PermanentError)
    expect(failure).toMatchObject({ code: 'BEHAVIOR_INDEX_UNUSABLE', message: expect.stringContaining('userId') })

    const somethingElse = await createIndex()
    await indexBehaviors(client, somethingElse, [{ title: 'not a behaviour' }])
    await expect(createBehaviorFields({ client, index: somethingElse })()).rejects.toMatchObject({
      code: 'BEHAVIOR_INDEX_UNUSABLE',
      message: expect.stringContaining('productId, userId, actionType, timestamp'),
    })
  })

  it('are refused for an alias over indices that have no field in common', async () => {
    const alias = `alias-${randomUUID()}`
    const plain = await createIndex()
    await indexBehaviors(client, plain, [behavior])
    await client.indices.putAlias({ index: [plain, await createIndex(keywords)], name: alias })
    await expect(createBehaviorFields({ client, index: alias })()).rejects.toMatchObject({
      code: 'BEHAVIOR_INDEX_UNUSABLE',
    })
  })

  it('are not disturbed by an index of the alias that is still empty', async () => {
    const alias = `alias-${randomUUID()}`
    const plain = await createIndex()
    await indexBehaviors(client, plain, [behavior])
    await client.indices.putAlias({ index: [plain, await createIndex()], name: alias })
    expect(await createTestResolver({ client, index: alias }).usersOf([drop])).toEqual([['u']])
  })

  it('are asked for again after a minute, because an alias may have moved', async () => {
    let time = 0
    const alias = `alias-${randomUUID()}`
    const plain = await createIndex()
    await indexBehaviors(client, plain, [behavior])
    await client.indices.putAlias({ index: plain, name: alias })
    const readFields = createBehaviorFields({ client, index: alias, now: () => time })
    expect(await readFields()).toMatchObject({ userId: 'userId.keyword' })

    const successor = await createIndex(keywords)
    await client.indices.updateAliases({
      actions: [{ remove: { index: plain, alias } }, { add: { index: successor, alias } }],
    })
    time = 4_999
    expect(await readFields()).toMatchObject({ userId: 'userId.keyword' })
    time = 5_000
    expect(await readFields()).toMatchObject({ userId: 'userId' })
  })
})
