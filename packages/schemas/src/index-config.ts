import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { text } from '@dropbell/shared/config/variables'

/** The Elasticsearch indices that other teams fill and we read. */
export const indexConfig = {
  shape: {
    USER_BEHAVIOR_INDEX: text().default('user_behavior_index').describe('Index or alias of what users did.'),
    PRODUCT_INDEX: text().default('product_index').describe('Index or alias of the products, for their names.'),
  },
} satisfies ConfigFragment

export type IndexConfig = Config<typeof indexConfig>
