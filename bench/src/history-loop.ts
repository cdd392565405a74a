import { historyDocumentOf } from '@dropbell/schemas/history/history-document'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { historyIndexOf } from '@dropbell/schemas/history/history-month'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { Client } from '@elastic/elasticsearch'
import { sampleOutcomes } from './sample-events.ts'

export interface HistoryLoop {
  /** Indexes so many documents, so many requests at once; documents per second. */
  measure(documents: number, atOnce: number): Promise<number>
}

/** As CONSUMER_MAX_BATCH_RECORDS. */
const BATCH = 500

/** The client alone, with an index of the same template. */
export async function openHistoryLoop(client: Client, alias: string): Promise<HistoryLoop> {
  await applyHistoryIndices(client, alias)
  const index = historyIndexOf(alias, Date.now())
  const prepare = (count: number): object[] =>
    sampleOutcomes(count).flatMap((outcome) => [
      { index: { _index: index, _id: outcome.notificationId, version: 2, version_type: 'external' } },
      historyDocumentOf(outcome),
    ])

  let expected = 0
  return {
    measure: async (documents, atOnce) => {
      const requests = chunksOf(prepare(documents), 2 * BATCH)
      const work = async (): Promise<void> => {
        for (const operations of requests) {
          const { errors } = await client.bulk({ operations: [...operations] })
          if (errors) throw new Error('a document was not indexed')
        }
      }
      const startedAt = performance.now()
      // All take from the one generator.
      await Promise.all(Array.from({ length: atOnce }, work))
      const ms = performance.now() - startedAt
      expected += documents
      await assertCount(client, alias, expected)
      return (documents * 1_000) / ms
    },
  }
}

/** On both sides: an index that is searched is refreshed every second from then on, which costs. */
export async function assertCount(client: Client, alias: string, expected: number): Promise<void> {
  await client.indices.refresh({ index: alias })
  const { count } = await client.count({ index: alias })
  if (count !== expected) throw new Error(`${count} of ${expected} documents are in ${alias}`)
}
