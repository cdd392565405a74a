import { toShortestFloat32 } from '@dropbell/schemas/price'
import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { TransientError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { ProductState } from './product-state.ts'

/** What the index knows; a product it does not have has an empty state. */
export type ReadProductIndex = (productIds: readonly string[]) => Promise<Map<string, ProductState>>

export interface ProductIndexOptions {
  client: Client
  config: { PRODUCT_INDEX: string; PRODUCT_PRICE_FIELD: string; PRODUCT_STOCK_FIELD: string }
}

type Source = Record<string, unknown>

/** Others wait in the same batch; what could not be read is asked for again later. */
const inAHurry = { requestTimeout: 1_000, maxRetries: 0 }

/** It does not say since when: any event counts as newer. */
const at = 0

/** Price and stock from the index of another team, for products of which no event has told us. */
export const createProductIndex =
  ({ client, config }: ProductIndexOptions): ReadProductIndex =>
  async (productIds) => {
    const { PRODUCT_INDEX: index, PRODUCT_PRICE_FIELD: priceField, PRODUCT_STOCK_FIELD: stockField } = config
    // No document has an empty id, and asking for one fails the whole request.
    const ids = productIds.filter((productId) => productId !== '')
    if (ids.length === 0) return new Map()
    try {
      const { docs } = await client.mget<Source>({ index, ids, _source: [priceField, stockField] }, inAHurry)
      return new Map(docs.map((doc) => [doc._id, stateOf(sourceOf(doc))]))
    } catch (error) {
      throw classifyElasticsearchError(error)
    }

    function stateOf(source: Source): ProductState {
      const price = fieldOf(source, priceField)
      const stock = fieldOf(source, stockField)
      return {
        ...(typeof price === 'number' && price >= 0 && { price: { value: toShortestFloat32(price), at } }),
        ...(typeof stock === 'number' && { stock: { value: stock, at } }),
      }
    }
  }

/** A request for many documents succeeds even if each of them failed. Without an index nothing is known. */
const sourceOf = (doc: estypes.MgetResponseItem<Source>): Source => {
  if (!('error' in doc)) return doc._source ?? {}
  if (doc.error.type === 'index_not_found_exception') return {}
  throw new TransientError('ELASTICSEARCH_UNAVAILABLE', `a product could not be read: ${doc.error.reason}`, {
    dependency: 'elasticsearch',
  })
}

/** A field within another is named with a dot. */
const fieldOf = (source: Source, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), source)

const isObject = (value: unknown): value is Source => typeof value === 'object' && value !== null
