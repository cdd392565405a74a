import type { HistoryDocument } from '@dropbell/schemas/history/history-document'
import { readHistory } from '@dropbell/schemas/history/read-history'
import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import type { Client } from '@elastic/elasticsearch'
import type { EndingStatus, OutcomeCount } from '../trace.ts'

export interface HistorySource {
  ofNotification(notificationId: string): Promise<HistoryDocument[]>
  ofEvent(eventId: string, limit: number, userId?: string): Promise<HistoryDocument[]>
  ofUser(query: {
    userId: string
    productId: string | undefined
    since: number
    limit: number
  }): Promise<HistoryDocument[]>
  /** Of one event, the most frequent first. */
  countOutcomes(eventId: string): Promise<OutcomeCount[]>
}

interface CountedEndings {
  endings: { buckets: { key: { status: string; reason: string | null }; doc_count: number }[] }
}

// Eight statuses, and of most one reason.
const mostEndings = 1_000

export const createHistorySource = (client: Client, alias: string): HistorySource => ({
  ofNotification: (notificationId) => readHistory(client, { alias, notificationId, limit: 10 }),
  ofEvent: (eventId, limit, userId) => readHistory(client, { alias, eventId, userId, limit }),
  ofUser: (query) => readHistory(client, { alias, ...query }),
  countOutcomes: async (eventId) => {
    try {
      const { aggregations } = await client.search<unknown, CountedEndings>({
        index: alias,
        size: 0,
        query: { term: { eventId } },
        aggs: {
          endings: {
            composite: {
              size: mostEndings,
              sources: [
                { status: { terms: { field: 'status' } } },
                { reason: { terms: { field: 'reason', missing_bucket: true } } },
              ],
            },
          },
        },
      })
      const buckets = aggregations?.endings.buckets ?? []
      return buckets
        .map(({ key: { status, reason }, doc_count: count }) => ({ status: status as EndingStatus, reason, count }))
        .sort((one, other) => other.count - one.count)
    } catch (error) {
      throw classifyElasticsearchError(error)
    }
  },
})
