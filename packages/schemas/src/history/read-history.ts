import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { HistoryDocument } from './history-document.ts'

export interface HistoryQuery {
  /** NOTIFICATION_HISTORY_INDEX. */
  alias: string
  userId?: string | undefined
  productId?: string | undefined
  eventId?: string | undefined
  notificationId?: string | undefined
  /** Only what ended at or after this moment, in milliseconds since the epoch. */
  since?: number | undefined
  /** 10,000 at the most, which is as far as one search of Elasticsearch goes. */
  limit: number
}

/** What became of notifications, the newest outcome first. It can be found a second after it was indexed. */
export const readHistory = async (client: Client, query: HistoryQuery): Promise<HistoryDocument[]> => {
  try {
    const { hits } = await client.search<HistoryDocument>({
      index: query.alias,
      query: { bool: { filter: filtersOf(query) } },
      sort: [{ occurredAt: 'desc' }, { notificationId: 'asc' }],
      size: query.limit,
      track_total_hits: false,
    })
    return hits.hits.flatMap(({ _source }) => _source ?? [])
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

const filtersOf = ({
  since,
  userId,
  productId,
  eventId,
  notificationId,
}: HistoryQuery): estypes.QueryDslQueryContainer[] => [
  ...Object.entries({ userId, productId, eventId, notificationId }).flatMap(([field, value]) =>
    value === undefined ? [] : [{ term: { [field]: value } }],
  ),
  ...(since === undefined ? [] : [{ range: { occurredAt: { gte: since } } }]),
]
