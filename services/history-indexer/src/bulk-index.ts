import { classifyBulkItem, classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'
import { boundedRequests } from './bounded-requests.ts'
import type { HistoryEntry } from './history-entry.ts'

/** What became of a document. A newer or equal version being there already is as good as having written this one. */
export type IndexResult =
  | { readonly kind: 'indexed' | 'superseded' }
  | { readonly kind: 'refused' | 'failed'; readonly error: Error }

/** Answers for every entry, in order; rejects where Elasticsearch did not answer for any. */
export type BulkIndex = (entries: readonly HistoryEntry[], signal: AbortSignal) => Promise<IndexResult[]>

/** Long before the client gives up: an answer tells which documents a missing shard has kept waiting. */
const shardTimeout = '5s'

export const createBulkIndex =
  (client: Client): BulkIndex =>
  async (entries, signal) => {
    const results: IndexResult[] = []
    for (const request of boundedRequests(entries)) results.push(...(await indexRequest(client, request, signal)))
    return results
  }

const indexRequest = async (
  client: Client,
  entries: readonly HistoryEntry[],
  signal: AbortSignal,
): Promise<IndexResult[]> => {
  const operations = entries.flatMap(({ index, id, version, document }) => [
    { index: { _index: index, _id: id, version, version_type: 'external' as const } },
    document,
  ])
  try {
    const { items } = await client.bulk<string>(
      { operations, timeout: shardTimeout, filter_path: ['errors', 'items.*.status', 'items.*.error'] },
      { signal },
    )
    return entries.map((entry, position) => resultOf(items[position]?.index, entry))
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

const resultOf = (item: estypes.BulkResponseItem | undefined, { index }: HistoryEntry): IndexResult => {
  if (item === undefined) return { kind: 'failed', error: unanswered() }
  if (item.status >= 200 && item.status < 300) return { kind: 'indexed' }
  if (item.status === 409) return { kind: 'superseded' }
  const error = classifyBulkItem({ ...item, _index: index })
  return { kind: error instanceof PermanentError ? 'refused' : 'failed', error }
}

const unanswered = (): TransientError =>
  new TransientError('ELASTICSEARCH_UNAVAILABLE', 'Elasticsearch did not answer for a document', {
    dependency: 'elasticsearch',
  })
