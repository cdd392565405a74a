import { offerConfig } from '@dropbell/offers/offer-config'
import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, milliseconds, oneOf } from '@dropbell/shared/config/variables'

// Elasticsearch refuses more buckets than this in one answer, unless its search.max_buckets is raised.
const mostBuckets = 65_535

export const inventoryConfig = {
  shape: {
    ...offerConfig.shape,
    ROLE: oneOf(['detect', 'fanout', 'all'])
      .default('all')
      .describe('Whether to read inventory events, to tell large audiences, or both; instances of each can be added.'),
    FANOUT_INLINE_USERS: count({ min: 1, max: mostBuckets })
      .default(1_000)
      .describe('Users of an event who are told at once, at most TARGET_PAGE_SIZE; the rest is handed to the fan-out.'),
    FANOUT_CONCURRENCY: count({ min: 1, max: 100 })
      .default(2)
      .describe('Large audiences that an instance tells at the same time.'),
    FANOUT_TURN_MS: milliseconds({ min: 1 })
      .default(2_000)
      .describe('How long one large audience is told before others that wait have their turn.'),
    TARGET_USER_LIMIT: count({ min: 1 })
      .default(1_000_000)
      .describe('Most users one event is told to; the rest is cut off, logged and counted.'),
    TARGET_PAGE_SIZE: count({ min: 1, max: mostBuckets })
      .default(10_000)
      .describe('Users per request to Elasticsearch, over all products of a batch.'),
    PRODUCT_NAME_CACHE_SIZE: count({ min: 1, max: 10_000_000 })
      .default(10_000)
      .describe('How many product names are remembered.'),
    PRODUCT_NAME_CACHE_TTL_MS: milliseconds({ min: 1 })
      .default(600_000)
      .describe('How long a product name is remembered.'),
    PRODUCT_NAME_CACHE_MISSING_TTL_MS: milliseconds({ min: 1 })
      .default(30_000)
      .describe('How long it is remembered that a product has no name.'),
    // Any offer's own event has written the state: it must only outlive the longest validity of an offer.
    PRODUCT_STATE_DAYS: count({ min: 2, max: 3_650 })
      .default(8)
      .describe("How long a product's latest price and stock are kept after their last change."),
  },
} satisfies ConfigFragment

export type InventoryConfig = Config<typeof inventoryConfig>
