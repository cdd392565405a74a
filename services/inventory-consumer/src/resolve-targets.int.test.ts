import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { indexTemplates } from '@dropbell/schemas/index-templates'
import { TransientError } from '@dropbell/shared/errors'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TargetTrigger } from './target-query.ts'
import { type Behavior, bruteForceTargets, dayMs, indexBehaviors, randomBehaviors } from './testing/behaviors.ts'
import { createTestResolver } from './testing/target-resolver.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const run = randomUUID()
const eventTime = Date.UTC(2026, 0, 15, 3)
const days = { interested: 30, cart: 7 }

const made: string[] = []
const sorted = `sorted-${run}`
const plain = `plain-${run}`
const behaviors = randomBehaviors(30_000, { seed: 5, around: eventTime })

/** As our template lays it out, without installing one in the engines that all tests share. */
const createSorted = async (index: string): Promise<void> => {
  const { settings, mappings } = indexTemplates({ USER_BEHAVIOR_INDEX: index, PRODUCT_INDEX: 'other' }).userBehavior
    .template
  await client.indices.create({ index, settings, mappings })
  made.push(index)
}

beforeAll(async () => {
  await createSorted(sorted)
  await indexBehaviors(client, sorted, behaviors)
  await client.indices.create({ index: plain, settings: { number_of_shards: 3, number_of_replicas: 0 } })
  made.push(plain)
  // As another team may write them: no mapping, times as text.
  const written = behaviors.map((behavior) => ({ ...behavior, timestamp: new Date(behavior.timestamp).toISOString() }))
  await indexBehaviors(client, plain, written)
})
afterAll(async () => {
  await client.indices.delete({ index: made })
  await client.close()
})

const trigger = (productId: string, more: Partial<TargetTrigger> = {}): TargetTrigger => ({
  kind: 'price-drop',
  eventId: randomUUID(),
  productId,
  timestamp: eventTime,
  ...more,
})

const expected = (triggers: readonly TargetTrigger[], among: readonly Behavior[] = behaviors) =>
  triggers.map((one) => bruteForceTargets(among, one, days))

/** A batch as it may come: drops and restocks of all products, some twice, at different times, one unknown. */
const batch: TargetTrigger[] = Array.from({ length: 40 }, (_, index) => [
  trigger(`product-${index}`, { timestamp: eventTime - index * 3_600_000 }),
  ...(index % 2 === 0 ? [trigger(`product-${index}`, { kind: 'restock' })] : []),
  ...(index % 5 === 0 ? [trigger(`product-${index}`, { timestamp: eventTime - 10 * dayMs })] : []),
])
  .flat()
  .concat(trigger('unheard-of'))

describe.each([
  ['with our template', sorted],
  ['with a plain mapping', plain],
])('the targets of a batch in an index %s', (_, index) => {
  it('are those that a look at every behaviour finds, each once', async () => {
    const users = await createTestResolver({ client, index }).usersOf(batch)
    expect(users).toEqual(expected(batch))
    expect(users.flat().length).toBeGreaterThan(10_000)
  })

  it('are the same in pages smaller than the audiences', async () => {
    const { collect } = createTestResolver({ client, index, config: { TARGET_PAGE_SIZE: 197 } })
    const some = batch.slice(0, 8)
    const pages = await collect(some)
    const users = some.map((one) => pages.filter((page) => page.trigger === one).flatMap((page) => page.userIds))
    expect(users.map((found) => found.sort())).toEqual(expected(some))
    const sizes = pages.map(({ userIds }) => userIds.length)
    expect(Math.max(...sizes)).toBe(197)
    expect(Math.min(...sizes)).toBeGreaterThan(0)
  })
})

describe('the requests of a batch', () => {
  const searchesOf = async (work: () => Promise<unknown>): Promise<number> => {
    let searches = 0
    const count = (_: unknown, result: { meta: { request: { params: { path: string } } } } | null) => {
      if (result?.meta.request.params.path.endsWith('/_search')) searches += 1
    }
    client.diagnostic.on('response', count as never)
    await work().finally(() => client.diagnostic.off('response', count as never))
    return searches
  }

  it('are one for 40 products whose users fit on a page', async () => {
    const { usersOf } = createTestResolver({ client, index: sorted, config: { TARGET_PAGE_SIZE: 50_000 } })
    const triggers = Array.from({ length: 40 }, (_, index) => trigger(`product-${index}`))
    expect(await searchesOf(() => usersOf(triggers))).toBe(1)
  })

  it('wait until the pages before are used, and end when nobody reads on', async () => {
    const { resolve } = createTestResolver({ client, index: sorted, config: { TARGET_PAGE_SIZE: 100 } })
    const readOne = async (): Promise<void> => {
      for await (const { userIds } of resolve([trigger('product-0')])) {
        expect(userIds).toHaveLength(100)
        break
      }
    }
    expect(await searchesOf(readOne)).toBe(1)
  })

  it('are none for an empty batch', async () => {
    const { collect } = createTestResolver({ client, index: sorted })
    expect(await searchesOf(() => collect([]))).toBe(0)
  })
})

describe('two triggers of one product', () => {
  it('are told to their own audiences', async () => {
    const triggers = [
      trigger('product-3'),
      trigger('product-3', { kind: 'restock' }),
      trigger('product-3', { timestamp: eventTime - 20 * dayMs }),
    ]
    const users = await createTestResolver({ client, index: sorted, config: { TARGET_PAGE_SIZE: 50 } }).usersOf(
      triggers,
    )
    expect(users).toEqual(expected(triggers))
    expect(new Set(users.map((found) => found.length)).size).toBe(3)
  })
})

describe('the days before an event', () => {
  it('end with the event itself and begin after the moment that many days before', async () => {
    const index = `edges-${run}`
    await createSorted(index)
    const at = (userId: string, timestamp: number): Behavior => {
      return { productId: 'edge', userId, actionType: 'ADD_TO_CART', timestamp }
    }
    await indexBehaviors(client, index, [
      at('at the event', eventTime),
      at('just after it', eventTime + 1),
      at('seven days before', eventTime - 7 * dayMs),
      at('a little less', eventTime - 7 * dayMs + 1),
      at('thirty days before', eventTime - 30 * dayMs),
      at('a little less than thirty', eventTime - 30 * dayMs + 1),
    ])
    const triggers = [trigger('edge'), trigger('edge', { kind: 'restock' })]
    expect(await createTestResolver({ client, index }).usersOf(triggers)).toEqual([
      ['a little less', 'a little less than thirty', 'at the event', 'seven days before'],
      ['a little less', 'at the event'],
    ])
  })
})

describe('a replay', () => {
  it('finds the same audience after newer behaviours have arrived', async () => {
    const index = `replay-${run}`
    await createSorted(index)
    await indexBehaviors(client, index, behaviors.slice(0, 2_000))
    const { usersOf } = createTestResolver({ client, index })
    const triggers = [trigger('product-1'), trigger('product-1', { kind: 'restock' })]
    const first = await usersOf(triggers)
    const newer = Array.from({ length: 500 }, (_, count) => ({
      productId: 'product-1',
      userId: `newcomer-${count}`,
      actionType: 'ADD_TO_CART',
      timestamp: eventTime + 1 + count * 1_000,
    }))
    await indexBehaviors(client, index, newer)
    expect(await usersOf(triggers)).toEqual(first)
    expect(first).toEqual(expected(triggers, behaviors.slice(0, 2_000)))
  })
})

describe('TARGET_USER_LIMIT', () => {
  const product = trigger('product-0')
  // In Elasticsearch's order too: of bytes.
  const whole = bruteForceTargets(behaviors, product, days)
  const others = [trigger('product-1'), trigger('product-2')]

  it.each([
    ['in the middle of a page', 10_000],
    ['after several pages', 30],
    ['at the end of a page', 50],
  ])('cuts an audience %s, and no other, and says so', async (_, pageSize) => {
    const config = { TARGET_USER_LIMIT: 100, TARGET_PAGE_SIZE: pageSize }
    const { collect } = createTestResolver({ client, index: sorted, config })
    const pages = await collect([product, trigger('unheard-of')])
    expect(pages.flatMap(({ userIds }) => userIds)).toEqual(whole.slice(0, 100))
    expect(pages.map(({ cut }) => cut === true)).toEqual([...pages.slice(1).map(() => false), true])
  })

  it('goes on with the products after the one it cuts', async () => {
    const config = { TARGET_USER_LIMIT: 100, TARGET_PAGE_SIZE: 60 }
    const { usersOf } = createTestResolver({ client, index: sorted, config })
    const users = await usersOf([product, ...others])
    expect(users).toEqual(expected([product, ...others]).map((all) => all.slice(0, 100)))
  })

  it('leaves an audience of exactly that size whole', async () => {
    for (const pageSize of [whole.length, 10_000]) {
      const config = { TARGET_USER_LIMIT: whole.length, TARGET_PAGE_SIZE: pageSize }
      const pages = await createTestResolver({ client, index: sorted, config }).collect([product])
      expect(pages.flatMap(({ userIds }) => userIds)).toEqual(whole)
      expect(pages.some(({ cut }) => cut)).toBe(false)
    }
  })

  it('counts the users who were served before a cursor', async () => {
    const config = { TARGET_USER_LIMIT: 100 }
    const { usersOf } = createTestResolver({ client, index: sorted, config })
    const resumed = trigger('product-0', { after: { userId: whole[79] ?? '', servedUsers: 80 } })
    expect(await usersOf([resumed])).toEqual([whole.slice(80, 100)])
  })
})

describe('an audience that is served in parts', () => {
  const [hot, next] = [trigger('product-0'), trigger('product-1')]
  const whole = bruteForceTargets(behaviors, hot, days)

  it.each([
    ['in the middle of a page', 10_000],
    ['after several pages', 30],
    ['at the end of a page', 60],
  ])('is left %s, says where to go on, and holds up no other', async (_, pageSize) => {
    const { collect, usersOf } = createTestResolver({ client, index: plain, config: { TARGET_PAGE_SIZE: pageSize } })
    const pages = await collect([hot, next], { most: 60 })
    const ofHot = pages.filter((page) => page.trigger === hot)
    expect(ofHot.flatMap(({ userIds }) => userIds)).toEqual(whole.slice(0, 60))
    expect(ofHot.map(({ rest }) => rest).filter(Boolean)).toEqual([{ userId: whole[59], servedUsers: 60 }])
    const ofNext = pages.filter((page) => page.trigger === next)
    expect(ofNext.flatMap(({ userIds }) => userIds)).toEqual(bruteForceTargets(behaviors, next, days).slice(0, 60))

    const [rest] = await usersOf([{ ...hot, after: { userId: whole[59] as string, servedUsers: 60 } }])
    expect(rest).toEqual(whole.slice(60))
  })

  it('has no rest if it is just as large as wanted', async () => {
    const { collect } = createTestResolver({ client, index: sorted })
    expect(await collect([hot], { most: whole.length })).toEqual([{ trigger: hot, userIds: whole }])
  })

  it('is cut, and has no rest, where the limit is below what is wanted', async () => {
    const { collect } = createTestResolver({ client, index: sorted, config: { TARGET_USER_LIMIT: 40 } })
    expect(await collect([hot], { most: 60 })).toEqual([{ trigger: hot, userIds: whole.slice(0, 40), cut: true }])
  })
})

describe('strange input', () => {
  it('finds nobody for times no calendar has, and does not fail the batch', async () => {
    const { usersOf } = createTestResolver({ client, index: sorted })
    const known = trigger('product-2')
    const strange = [0, -1, -(2 ** 53) + 1, 2 ** 53 - 1].map((timestamp, index) =>
      trigger(`product-${index + 10}`, { timestamp }),
    )
    const users = await usersOf([known, ...strange])
    expect(users).toEqual(expected([known, ...strange]))
  })

  it('finds nobody for an empty product id, and users of ids with any characters', async () => {
    const index = `characters-${run}`
    await createSorted(index)
    const ids = ['', ' ', '"a"', 'é', '한글', '😀', '\u{10ffff}', '\uffff', 'a\nb']
    const documents = ids.map((id) => ({ productId: id, userId: id, actionType: 'VIEW', timestamp: eventTime }))
    await indexBehaviors(client, index, documents)
    const triggers = ids.map((id) => trigger(id))
    const { usersOf } = createTestResolver({ client, index, config: { TARGET_PAGE_SIZE: 2 } })
    expect(await usersOf(triggers)).toEqual(expected(triggers, documents))
  })

  it('fails for a missing index in words that name it, as something that may come', async () => {
    const { collect } = createTestResolver({ client, index: `nowhere-${run}` })
    const failure = await collect([trigger('product-1')]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({ code: 'ELASTICSEARCH_INDEX_MISSING', dependency: 'elasticsearch' })
    expect((failure as Error).message).toContain(`nowhere-${run}`)
  })
})
