import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProductNames, type ProductNamesOptions } from './product-names.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const index = `products-${randomUUID()}`

const save = (id: string, product: object) => client.index({ index, id, document: product })

beforeAll(async () => {
  await client.indices.create({ index, settings: { number_of_replicas: 0 } })
  await save('shoes', { productName: '운동화', price: 79.9 })
  await save('bag', { productName: '가방' })
  await save('nameless', { price: 1 })
  await save('blank', { productName: '  ' })
})
afterAll(async () => {
  await client.indices.delete({ index })
  await client.close()
})

const createNames = (config: Partial<ProductNamesOptions['config']> = {}) => {
  let time = 1
  let requests = 0
  const counting = client.child({})
  counting.diagnostic.on('request', () => {
    requests += 1
  })
  const readNames = createProductNames({
    client: counting,
    config: {
      PRODUCT_INDEX: index,
      PRODUCT_NAME_CACHE_SIZE: 100,
      PRODUCT_NAME_CACHE_TTL_MS: 1_000,
      PRODUCT_NAME_CACHE_MISSING_TTL_MS: 100,
      ...config,
    },
    now: () => time,
  })
  const requestsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = requests
    await work()
    return requests - before
  }
  return {
    readNames,
    requestsOf,
    pass: (ms: number) => {
      time += ms
    },
  }
}

describe('product names', () => {
  it('come in one request for a whole batch, and only for products that have one', async () => {
    const { readNames, requestsOf } = createNames()
    const ids = ['shoes', 'bag', 'shoes', 'nameless', 'blank', 'unheard-of', '']
    expect(await requestsOf(() => readNames(ids))).toBe(1)
    expect(await readNames(ids)).toEqual(
      new Map([
        ['shoes', '운동화'],
        ['bag', '가방'],
      ]),
    )
  })

  it('are remembered until their time is over', async () => {
    const { readNames, requestsOf, pass } = createNames()
    await readNames(['shoes'])
    pass(1_000)
    expect(await requestsOf(() => readNames(['shoes']))).toBe(0)
    pass(1)
    expect(await requestsOf(() => readNames(['shoes']))).toBe(1)
  })

  it('are asked for again soon where there were none', async () => {
    const { readNames, requestsOf, pass } = createNames()
    expect(await readNames(['coming'])).toEqual(new Map())
    await save('coming', { productName: '모자' })
    expect(await requestsOf(() => readNames(['coming']))).toBe(0)
    pass(101)
    expect(await readNames(['coming'])).toEqual(new Map([['coming', '모자']]))
  })

  it('are all there for a batch larger than the memory', async () => {
    const { readNames } = createNames({ PRODUCT_NAME_CACHE_SIZE: 1 })
    expect((await readNames(['shoes', 'bag'])).size).toBe(2)
  })

  it('are asked for without a request when there is nothing to ask', async () => {
    const { readNames, requestsOf } = createNames()
    expect(await requestsOf(() => readNames([]))).toBe(0)
  })

  it('fail as something that may come when the index is missing', async () => {
    const { readNames } = createNames({ PRODUCT_INDEX: `nowhere-${randomUUID()}` })
    await expect(readNames(['shoes'])).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ELASTICSEARCH_INDEX_MISSING',
      dependency: 'elasticsearch',
    })
  })
})
