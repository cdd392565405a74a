import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { TransientError } from '@dropbell/shared/errors'
import { createRandom } from '@dropbell/shared/testing/seeded-random'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createProductStates, type ProductStates } from './product-state.ts'
import { inventoryEvent } from './testing/inventory-event.ts'

const client = new Redis(testEnv().REDIS_URL)
const others = [new Redis(testEnv().REDIS_URL), new Redis(testEnv().REDIS_URL)]
afterAll(() => {
  for (const connection of [client, ...others]) connection.disconnect()
})

const config = { PRODUCT_STATE_DAYS: 8 }
let keyPrefix: string
let states: ProductStates
beforeEach(() => {
  keyPrefix = `test:${randomUUID()}:`
  states = createProductStates({ client, config, keyPrefix })
})

const record = (...events: Partial<ProductInventoryEvent>[]) => states.recordProductStates(events.map(inventoryEvent))
const state = () => states.readProductState('product-1')

describe('the states of several products', () => {
  it('are read at once, and those of which nothing was said are empty', async () => {
    await record({ productId: 'a', currentPrice: 5, timestamp: 10 }, { productId: 'b', currentStock: 2, timestamp: 20 })
    expect(await states.readProductStates(['a', 'b', 'c', 'a'])).toEqual(
      new Map([
        ['a', { price: { value: 5, at: 10 } }],
        ['b', { stock: { value: 2, at: 20 } }],
        ['c', {}],
      ]),
    )
    expect(await states.readProductStates([])).toEqual(new Map())
  })
})

describe('the state of a product', () => {
  it('is empty before anything was said', async () => {
    expect(await state()).toEqual({})
    await record({ timestamp: 5 })
    expect(await client.exists(`${keyPrefix}product-1`)).toBe(0)
  })

  it('is the latest price and stock, each with its own time, from any type of event', async () => {
    await record(
      { eventType: 'PRICE_CHANGE', currentPrice: Math.fround(79.9), timestamp: 10 },
      { eventType: 'STOCK_CHANGE', currentStock: 3, timestamp: 20 },
      { eventType: 'PRODUCT_UPDATE', currentPrice: Math.fround(69.9), timestamp: 30 },
    )
    expect(await state()).toEqual({ price: { value: 69.9, at: 30 }, stock: { value: 3, at: 20 } })
  })

  it('is not overwritten by nulls', async () => {
    await record({ currentPrice: 5, currentStock: 5, timestamp: 10 })
    await record({ timestamp: 20 })
    await record({ currentStock: 0, timestamp: 30 })
    expect(await state()).toEqual({ price: { value: 5, at: 10 }, stock: { value: 0, at: 30 } })
  })

  it('is not overwritten by what is no price or stock, but knows a shop that sold more than it had', async () => {
    await record({ currentPrice: 5, currentStock: 5, timestamp: 10 })
    await record(
      { currentPrice: Number.NaN, currentStock: Number.NaN, timestamp: 20 },
      { currentPrice: Number.POSITIVE_INFINITY, timestamp: 20 },
      { currentPrice: -1, currentStock: -2, timestamp: 20 },
    )
    expect(await state()).toEqual({ price: { value: 5, at: 10 }, stock: { value: -2, at: 20 } })
  })

  it('is not overwritten by older events, in the same batch or later', async () => {
    await record({ currentPrice: 20, timestamp: 20 }, { currentPrice: 10, currentStock: 1, timestamp: 10 })
    await record({ currentPrice: 15, timestamp: 15 })
    expect(await state()).toEqual({ price: { value: 20, at: 20 }, stock: { value: 1, at: 10 } })
  })

  it('compares times by value, not as text', async () => {
    await record({ currentPrice: 1, timestamp: 9 })
    await record({ currentPrice: 2, timestamp: 1_768_435_200_000 })
    await record({ currentPrice: 3, timestamp: 200 })
    expect(await state()).toEqual({ price: { value: 2, at: 1_768_435_200_000 } })
  })

  const fell = { previousPrice: 100, currentPrice: Math.fround(79.9), timestamp: 10 }
  const fellOn = { previousPrice: Math.fround(79.9), currentPrice: 70, timestamp: 10 }

  it('follows events of one millisecond from where one ends to where the next begins', async () => {
    await record(fell)
    await record(fellOn)
    expect(await state()).toEqual({ price: { value: 70, at: 10 } })
  })

  it('does not go back when the earlier event of a millisecond comes again, alone', async () => {
    await record(fell, fellOn)
    await record(fell)
    expect(await state()).toEqual({ price: { value: 70, at: 10 } })
  })

  it('keeps what was there if two events of a millisecond have nothing to do with each other', async () => {
    await record({ currentPrice: 5, timestamp: 10 })
    await record({ currentPrice: 6, timestamp: 10 }, { previousPrice: 9, currentPrice: 8, timestamp: 10 })
    expect(await state()).toEqual({ price: { value: 5, at: 10 } })
  })

  it('keeps products apart', async () => {
    await record({ productId: 'product-1', currentPrice: 1 }, { productId: 'product-2', currentPrice: 2 })
    expect((await states.readProductState('product-1')).price?.value).toBe(1)
    expect((await states.readProductState('product-2')).price?.value).toBe(2)
  })

  it('is forgotten some days after its last change', async () => {
    await record({ currentPrice: 5, timestamp: 10 })
    const key = `${keyPrefix}product-1`
    expect(await client.ttl(key)).toBeGreaterThan(8 * 86_400 - 60)
    await client.expire(key, 1_000)
    await record({ currentPrice: 4, timestamp: 9 })
    expect(await client.ttl(key)).toBeLessThanOrEqual(1_000)
    await record({ currentPrice: 4, timestamp: 11 })
    expect(await client.ttl(key)).toBeGreaterThan(1_000)
  })

  it('ends the same however three instances mix, repeat and split the events', async () => {
    const random = createRandom(7)
    const maybe = (value: number): number | null => (random() < 0.3 ? null : value)
    const events = Array.from({ length: 600 }, (_, timestamp) =>
      inventoryEvent({
        productId: `product-${Math.floor(random() * 5)}`,
        timestamp,
        currentPrice: maybe(Math.floor(random() * 1_000)),
        currentStock: maybe(Math.floor(random() * 50)),
      }),
    )
    const shuffled = () =>
      events
        .map((event) => ({ event, order: random() }))
        .sort((a, b) => a.order - b.order)
        .map(({ event }) => event)
    const instances = [client, ...others].map((connection) =>
      createProductStates({ client: connection, config, keyPrefix }),
    )
    await Promise.all(
      instances.map(async (instance) => {
        const own = shuffled()
        while (own.length > 0) await instance.recordProductStates(own.splice(0, 1 + Math.floor(random() * 30)))
      }),
    )
    for (let index = 0; index < 5; index++) {
      const ofProduct = events.filter(({ productId }) => productId === `product-${index}`)
      const price = ofProduct.findLast(({ currentPrice }) => currentPrice !== null)
      const stock = ofProduct.findLast(({ currentStock }) => currentStock !== null)
      expect(await states.readProductState(`product-${index}`)).toEqual({
        price: { value: price?.currentPrice, at: price?.timestamp },
        stock: { value: stock?.currentStock, at: stock?.timestamp },
      })
    }
  })

  it('asks Redis nothing for a batch that says nothing', async () => {
    const unreachable = createProductStates({ client: new Redis({ lazyConnect: true }), config })
    await unreachable.recordProductStates([])
    await unreachable.recordProductStates([inventoryEvent()])
  })
})

describe('a Redis that cannot answer', () => {
  const transient = { code: 'PRODUCT_STATE_UNAVAILABLE', dependency: 'redis' }

  const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
    const failure = await work.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransientError)
    return failure
  }

  it('is a transient failure of Redis, whether reading or writing', async () => {
    const port = await closedPort()
    const gone = new Redis({ port, lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
    gone.on('error', () => {})
    const unreachable = createProductStates({ client: gone, config, keyPrefix })
    expect(await failureOf(unreachable.recordProductStates([inventoryEvent({ currentPrice: 5 })]))).toMatchObject(
      transient,
    )
    expect(await failureOf(unreachable.readProductState('product-1'))).toMatchObject(transient)
  })

  it('fails the batch if one product of it was not written', async () => {
    await client.set(`${keyPrefix}product-2`, 'in the way')
    const events = ['product-1', 'product-2', 'product-3'].map((productId) =>
      inventoryEvent({ productId, currentPrice: 5 }),
    )
    expect(await failureOf(states.recordProductStates(events))).toMatchObject(transient)
    await client.del(`${keyPrefix}product-2`)
    await states.recordProductStates(events)
    for (const { productId } of events) expect((await states.readProductState(productId)).price?.value).toBe(5)
  })
})
