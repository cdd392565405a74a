import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { toShortestFloat32 } from '@dropbell/schemas/price'
import { redisAnswers } from '@dropbell/shared/redis-answers'
import type { Redis, Result } from 'ioredis'
import { recordProductStateScript } from './product-state-script.ts'

/** A value and the time of the event that brought it, in milliseconds since the epoch. */
export interface TimedValue {
  readonly value: number
  readonly at: number
}

/** What is known of a product; a field of which no event has spoken is left out. */
export interface ProductState {
  readonly price?: TimedValue
  readonly stock?: TimedValue
}

/**
 * The latest price and stock of each product, by the times of the events and not by their arrival: an old event that
 * comes late, again or from a replay changes nothing. A null says nothing about a field. Of two events of the same
 * millisecond the one that begins where the other ended is the later, whichever arrives first; if neither does, the
 * one that was there stays.
 */
export interface ProductStates {
  /** All of a batch, before anybody is told about any of it. */
  recordProductStates(events: readonly ProductInventoryEvent[]): Promise<void>
  readProductState(productId: string): Promise<ProductState>
  /** All at once. Everything that was asked for is in the answer. */
  readProductStates(productIds: Iterable<string>): Promise<Map<string, ProductState>>
}

export interface ProductStatesOptions {
  client: Redis
  /** Days that a state is kept after its last change. */
  config: { PRODUCT_STATE_DAYS: number }
  keyPrefix?: string
  /** Milliseconds since the epoch. */
  now?: () => number
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    recordProductState(key: string, ...args: (string | number)[]): Result<number, Context>
  }
}

// Changes that were applied are not undone by a failure: applying them again changes nothing.
const { answer, execute, unavailable } = redisAnswers(
  'PRODUCT_STATE_UNAVAILABLE',
  'Redis did not answer for the state of products',
)

const daySeconds = 86_400
const clockSkewMs = 300_000

const defaultKeyPrefix = 'dropbell:product:'

/** For whoever only reads. */
export const createReadProductStates =
  ({
    client,
    keyPrefix = defaultKeyPrefix,
  }: Pick<ProductStatesOptions, 'client' | 'keyPrefix'>): ProductStates['readProductStates'] =>
  async (productIds) => {
    const ids = [...new Set(productIds)]
    if (ids.length === 0) return new Map()
    const pipeline = client.pipeline()
    for (const id of ids) pipeline.hgetall(`${keyPrefix}${id}`)
    const replies = (await answer(pipeline.exec())) ?? []
    return new Map(ids.map((id, index) => [id, stateOf(replies[index])]))
  }

export const createProductStates = ({
  client,
  config,
  keyPrefix = defaultKeyPrefix,
  now = Date.now,
}: ProductStatesOptions): ProductStates => {
  const ttlSeconds = config.PRODUCT_STATE_DAYS * daySeconds
  client.defineCommand('recordProductState', { numberOfKeys: 1, lua: recordProductStateScript })
  return {
    recordProductStates: async (events) => {
      const pipeline = client.pipeline()
      for (const [productId, changes] of changesByProduct(events, now())) {
        pipeline.recordProductState(`${keyPrefix}${productId}`, ttlSeconds, ...changes)
      }
      if (pipeline.length > 0) await execute(pipeline)
    },
    readProductState: async (productId) => toState(await answer(client.hgetall(`${keyPrefix}${productId}`))),
    readProductStates: createReadProductStates({ client, keyPrefix }),
  }
}

const changesByProduct = (events: readonly ProductInventoryEvent[], now: number): Map<string, (string | number)[]> => {
  const products = new Map<string, (string | number)[]>()
  for (const event of events) {
    const changes = changesOf(event, now)
    const before = products.get(event.productId)
    if (before) before.push(...changes)
    else if (changes.length > 0) products.set(event.productId, changes)
  }
  return products
}

/** Whatever the event is called: what it says about price and stock counts. */
const changesOf = (event: ProductInventoryEvent, now: number): (string | number)[] => {
  // A time far ahead is wrong, and would keep everything that happens until then from counting.
  const at = event.timestamp > now + clockSkewMs ? now : event.timestamp
  const price = writtenPrice(event.currentPrice)
  const stock = writtenStock(event.currentStock)
  return [
    ...(price === '' ? [] : ['price', writtenPrice(event.previousPrice), price, at]),
    ...(stock === '' ? [] : ['stock', writtenStock(event.previousStock), stock, at]),
  ]
}

/** Empty for what is no price, which then counts as not said. */
const writtenPrice = (price: number | null): string => {
  const shortest = price === null ? Number.NaN : toShortestFloat32(price)
  return Number.isFinite(shortest) && shortest >= 0 ? String(shortest) : ''
}

/** Less than nothing is kept: a shop that sold more than it had is sold out, and the value before would deny it. */
const writtenStock = (stock: number | null): string => (Number.isInteger(stock) ? String(stock) : '')

/** A key that holds something else is one product's bad luck: nothing is known of it. */
const stateOf = ([error, fields]: [Error | null, unknown] = [null, {}]): ProductState => {
  if (error === null) return toState(fields as Record<string, string>)
  // The protocol's error code: the first word of an error reply.
  if (error.message.split(' ', 1)[0] === 'WRONGTYPE') return {}
  throw unavailable(error)
}

const toState = (fields: Record<string, string>): ProductState => {
  const price = timedValue(fields.price, fields.priceAt)
  const stock = timedValue(fields.stock, fields.stockAt)
  return { ...(price && { price }), ...(stock && { stock }) }
}

const timedValue = (value: string | undefined, at: string | undefined): TimedValue | undefined =>
  value === undefined || at === undefined ? undefined : { value: Number(value), at: Number(at) }
