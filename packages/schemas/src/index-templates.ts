import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { type Client, errors, type estypes } from '@elastic/elasticsearch'
import type { IndexConfig } from './index-config.ts'

// Above 100 to 200, which the templates have that Elasticsearch brings along.
const priority = 500

const keyword = { type: 'keyword' } as const

/** One node has no place for a copy; any more have. */
const copies = { auto_expand_replicas: '0-1' } as const

/**
 * How the indices are best laid out. Other layouts work too, at the price of slower audiences. The names also match
 * indices behind an alias, such as user_behavior_index-2026.
 */
export const indexTemplates = ({ USER_BEHAVIOR_INDEX, PRODUCT_INDEX }: IndexConfig) =>
  ({
    userBehavior: {
      name: `dropbell-${USER_BEHAVIOR_INDEX}`,
      index_patterns: [USER_BEHAVIOR_INDEX, `${USER_BEHAVIOR_INDEX}-*`],
      priority,
      template: {
        settings: {
          number_of_shards: 3,
          ...copies,
          // The order in which audiences are read: a page ends early instead of looking through all behaviours.
          'index.sort.field': ['productId', 'userId'],
          'index.sort.order': ['asc', 'asc'],
        },
        mappings: {
          properties: { productId: keyword, userId: keyword, actionType: keyword, timestamp: { type: 'date' } },
        },
      },
    },
    product: {
      name: `dropbell-${PRODUCT_INDEX}`,
      index_patterns: [PRODUCT_INDEX, `${PRODUCT_INDEX}-*`],
      priority,
      template: {
        settings: { number_of_shards: 1, ...copies },
        mappings: {
          properties: { productName: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } } },
        },
      },
    },
  }) satisfies Record<string, estypes.IndicesPutIndexTemplateRequest>

/** For indices made from now on; those that exist keep their layout. Can be repeated. */
export const applyIndexTemplates = async (client: Client, names: IndexConfig): Promise<void> => {
  try {
    for (const template of Object.values(indexTemplates(names))) await client.indices.putIndexTemplate(template)
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

/** Makes the indices that do not exist, so that an event that comes before the first behaviour finds one. */
export const createMissingIndices = async (client: Client, names: IndexConfig): Promise<void> => {
  try {
    for (const index of [names.USER_BEHAVIOR_INDEX, names.PRODUCT_INDEX]) {
      if (!(await client.indices.exists({ index }))) await createIndex(client, index)
    }
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

/** Two may do this at once: the second finds it made. */
const createIndex = async (client: Client, index: string): Promise<void> => {
  try {
    await client.indices.create({ index })
  } catch (error) {
    const type = error instanceof errors.ResponseError ? error.body?.error?.type : undefined
    if (type !== 'resource_already_exists_exception') throw error
  }
}
