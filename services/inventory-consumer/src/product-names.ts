import type { IndexConfig } from '@dropbell/schemas/index-config'
import { classifyElasticsearchError, missingIndexError } from '@dropbell/shared/elasticsearch-failure'
import { TransientError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'
import { LRUCache } from 'lru-cache'
import type { InventoryConfig } from './config.ts'

/** Names by product id; a product without a name is not in the map. */
export type ReadProductNames = (productIds: Iterable<string>) => Promise<Map<string, string>>

export interface ProductNamesOptions {
  client: Client
  config: Pick<
    InventoryConfig & IndexConfig,
    'PRODUCT_INDEX' | 'PRODUCT_NAME_CACHE_SIZE' | 'PRODUCT_NAME_CACHE_TTL_MS' | 'PRODUCT_NAME_CACHE_MISSING_TTL_MS'
  >
  /** Milliseconds of any clock that does not go backwards. */
  now?: () => number
}

interface Known {
  readonly name: string | undefined
}

interface ProductSource {
  productName?: unknown
}

/** The names of a whole batch in one request, and those known from before in none. */
export const createProductNames = ({
  client,
  config,
  now = () => performance.now(),
}: ProductNamesOptions): ReadProductNames => {
  const cache = new LRUCache<string, Known>({
    max: config.PRODUCT_NAME_CACHE_SIZE,
    ttl: config.PRODUCT_NAME_CACHE_TTL_MS,
    // 0: the age is looked at every time, not once a millisecond by a timer.
    ttlResolution: 0,
    perf: { now },
  })

  const remember = (productId: string, name: string | undefined): void => {
    // A product that is only just being added gets its name soon.
    const ttl = name === undefined ? config.PRODUCT_NAME_CACHE_MISSING_TTL_MS : config.PRODUCT_NAME_CACHE_TTL_MS
    cache.set(productId, { name }, { ttl })
  }

  return async (productIds) => {
    const names = new Map<string, string>()
    const unknown: string[] = []
    for (const productId of new Set(productIds)) {
      const known = cache.get(productId)
      if (!known) unknown.push(productId)
      else if (known.name !== undefined) names.set(productId, known.name)
    }
    // Taken from the answer, not from the cache, which may be smaller than a batch.
    for (const [productId, name] of await fetchNames(client, config.PRODUCT_INDEX, unknown)) {
      remember(productId, name)
      if (name !== undefined) names.set(productId, name)
    }
    return names
  }
}

const fetchNames = async (
  client: Client,
  index: string,
  productIds: readonly string[],
): Promise<[string, string | undefined][]> => {
  // No document has an empty id, and asking for one fails the whole request.
  const ids = productIds.filter((productId) => productId !== '')
  if (ids.length === 0) return []
  try {
    const { docs } = await client.mget<ProductSource>({ index, ids, _source: ['productName'] })
    return docs.map((doc) => [doc._id, nameOf(doc, index)])
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

/** A request for many documents succeeds even if each of them failed. */
const nameOf = (doc: estypes.MgetResponseItem<ProductSource>, index: string): string | undefined => {
  if ('error' in doc) throw documentError(doc.error, index)
  const name = doc._source?.productName
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}

const documentError = ({ type, reason }: estypes.ErrorCause, index: string): TransientError =>
  type === 'index_not_found_exception'
    ? missingIndexError(index)
    : new TransientError('ELASTICSEARCH_UNAVAILABLE', `a product could not be read: ${reason ?? type}`, {
        dependency: 'elasticsearch',
      })
