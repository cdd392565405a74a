import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import type { DropbellError } from '@dropbell/shared/errors'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { Client } from '@elastic/elasticsearch'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProductIndex } from './product-index.ts'
import { createProductStates } from './product-state.ts'
import { createReadKnownStates } from './read-known-states.ts'
import { inventoryEvent } from './testing/inventory-event.ts'

const env = testEnv()
const redis = new Redis(env.REDIS_URL)
const elasticsearch = new Client({ node: env.ELASTICSEARCH_URL })
const index = `products-${randomUUID()}`
const config = { PRODUCT_INDEX: index, PRODUCT_PRICE_FIELD: 'price', PRODUCT_STOCK_FIELD: 'warehouse.stock' }
const states = createProductStates({
  client: redis,
  config: { PRODUCT_STATE_DAYS: 8 },
  keyPrefix: `test:${randomUUID()}:`,
})

const documents = {
  'P-1': { price: 79.9000015, warehouse: { stock: 4 } },
  'P-2': { price: 'cheap', warehouse: 12 },
  'P-3': { price: 10, warehouse: { stock: 0 } },
}

beforeAll(async () => {
  const operations = Object.entries(documents).flatMap(([_id, document]) => [{ index: { _id } }, document])
  await elasticsearch.indices.create({ index, mappings: { enabled: false } })
  await elasticsearch.bulk({ index, operations, refresh: true })
})
afterAll(async () => {
  await elasticsearch.indices.delete({ index })
  await elasticsearch.close()
  redis.disconnect()
})

const failures: DropbellError[] = []
const readFrom = (client: Client, names = config) =>
  createReadKnownStates({
    readProductStates: states.readProductStates,
    readProductIndex: createProductIndex({ client, config: names }),
    onIndexFailure: (error) => failures.push(error),
  })

const lowerPrice = (productId: string) => ({ productId, type: 'PRICE_DROP' }) as const

describe('the states that offers are judged by', () => {
  it('come from the index where no event has told us, with the price as it is written', async () => {
    const known = await readFrom(elasticsearch)([lowerPrice('P-1'), lowerPrice('P-2'), lowerPrice('missing')])
    expect(known.get('P-1')).toEqual({ price: { value: 79.9, at: 0 }, stock: { value: 4, at: 0 } })
    expect(known.get('P-2')).toEqual({})
    expect(known.get('missing')).toEqual({})
  })

  it('come from the events before the index, field by field', async () => {
    await states.recordProductStates([inventoryEvent({ productId: 'P-3', currentPrice: 12, timestamp: 5 })])
    const backInStock = { productId: 'P-3', type: 'BACK_IN_STOCK' } as const
    const known = await readFrom(elasticsearch)([lowerPrice('P-3'), backInStock])
    expect(known.get('P-3')).toEqual({ price: { value: 12, at: 5 }, stock: { value: 0, at: 0 } })
    // What is asked for is known from the events: the index is not needed.
    expect((await readFrom(elasticsearch)([lowerPrice('P-3')])).get('P-3')).toEqual({ price: { value: 12, at: 5 } })
  })

  it('are unknown for now without Elasticsearch, and without the index', async () => {
    const gone = new Client({ node: `http://127.0.0.1:${await closedPort()}`, maxRetries: 0 })
    expect((await readFrom(gone)([lowerPrice('P-1')])).get('P-1')).toEqual({})
    expect(failures).toMatchObject([{ dependency: 'elasticsearch' }])
    const elsewhere = { ...config, PRODUCT_INDEX: `nowhere-${randomUUID()}` }
    expect((await readFrom(elasticsearch, elsewhere)([lowerPrice('P-1')])).get('P-1')).toEqual({})
    await gone.close()
  })
})
