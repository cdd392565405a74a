import type { BehaviorFields, ReadBehaviorFields } from '@dropbell/schemas/behavior-fields'
import type { IndexConfig } from '@dropbell/schemas/index-config'
import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { PermanentError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { RecommendationConfig } from './config.ts'
import { retryTransient } from './retry-transient.ts'

export interface ActiveUsers {
  /**
   * Everybody who did anything in the days before a moment, page by page, each once, in the index's order of user ids. The
   * next page is asked for when it is wanted. The same moment finds the same users, so that a run can go on after any of them.
   */
  read(asOf: number, after: string | undefined, signal: AbortSignal): AsyncGenerator<readonly string[], void, undefined>
  /** Roughly how many there are. */
  estimate(asOf: number, signal: AbortSignal): Promise<number>
}

export interface ActiveUsersOptions {
  client: Client
  config: Pick<
    RecommendationConfig & IndexConfig,
    'USER_BEHAVIOR_INDEX' | 'RECOMMENDATION_ACTIVE_USER_DAYS' | 'RECOMMENDATION_PAGE_SIZE'
  >
  readFields: ReadBehaviorFields
}

const dayMs = 86_400_000

export const createActiveUsers = ({ client, config, readFields }: ActiveUsersOptions): ActiveUsers => {
  const { RECOMMENDATION_ACTIVE_USER_DAYS: days, RECOMMENDATION_PAGE_SIZE: size } = config

  const search = async <Answer>(
    asOf: number,
    aggregation: (fields: BehaviorFields) => estypes.AggregationsAggregationContainer,
    signal: AbortSignal,
  ): Promise<Answer | undefined> => {
    const fields = await readFields()
    if (!fields) return undefined
    const request: estypes.SearchRequest = {
      index: config.USER_BEHAVIOR_INDEX,
      size: 0,
      track_total_hits: false,
      // An alias that points nowhere, or a shard that does not answer, must not look like a small audience.
      allow_no_indices: false,
      allow_partial_search_results: false,
      request_cache: false,
      query: {
        bool: {
          filter: {
            range: { [fields.timestamp]: { gt: asOf - days * dayMs, lte: asOf, format: 'epoch_millis' } },
          },
        },
      },
      aggs: { users: aggregation(fields) },
    }
    try {
      const { aggregations } = await client.search<unknown, { users: Answer }>(request, { signal })
      return aggregations?.users
    } catch (error) {
      throw classifyElasticsearchError(error)
    }
  }

  return {
    read: async function* (asOf, after, signal) {
      for (let next = after === undefined ? undefined : { userId: after as Id }; ; ) {
        const page = (fields: BehaviorFields) => {
          const sources = [{ userId: { terms: { field: fields.userId } } }]
          return { composite: { size, sources, ...(next && { after: next }) } }
        }
        const found = await retryTransient(() => search<CompositeAnswer>(asOf, page, signal), signal)
        const users = found?.buckets.map(({ key }) => idOf(key.userId)) ?? []
        if (users.length > 0) yield users
        // A page shorter than asked for is the last.
        if (users.length < size || !found?.after_key) return
        next = found.after_key
      }
    },
    estimate: async (asOf, signal) => {
      const count = (fields: BehaviorFields) => ({ cardinality: { field: fields.userId } })
      const found = await search<{ value: number }>(asOf, count, signal)
      return found?.value ?? 0
    },
  }
}

type Id = string | number

interface CompositeAnswer {
  buckets: { key: { userId: Id } }[]
  after_key?: { userId: Id }
}

/** JSON has rounded such a number on its way, and somebody else would be told. */
const idOf = (id: Id): string => {
  if (typeof id === 'string' || Number.isSafeInteger(id)) return String(id)
  throw new PermanentError('BEHAVIOR_ID_TOO_LARGE', `the id ${id} is beyond 2^53: index identifiers as keywords`)
}
