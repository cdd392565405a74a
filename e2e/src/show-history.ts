import { setTimeout as delay } from 'node:timers/promises'
import type { HistoryDocument } from '@dropbell/schemas/history/history-document'
import { readHistory } from '@dropbell/schemas/history/read-history'
import type { WaitCode } from '@dropbell/schemas/refusal-codes'
import { formatTable } from '@dropbell/shared/format-table'
import type { Client } from '@elastic/elasticsearch'
import type { Shop } from './shop.ts'

const alias = 'notification_history_index'
const quietHours: WaitCode = 'QUIET_HOURS'

/** Everybody who was a target is in the history, told or not, and nothing of it is still under way. */
export const untilHistoryHas = async (client: Client, { events }: Shop, wanted: number): Promise<HistoryDocument[]> => {
  const deadline = Date.now() + 60_000
  for (;;) {
    const found = await Promise.all(events.map(({ eventId }) => readHistory(client, { alias, eventId, limit: 1_000 })))
    const documents = found.flat()
    const open = documents.filter(({ status, reason }) => status === 'DEFERRED' && reason !== quietHours)
    if (documents.length >= wanted && open.length === 0) return documents
    if (Date.now() > deadline) {
      throw new Error(`Only ${documents.length - open.length} of ${wanted} outcomes are in the history`)
    }
    await delay(200)
  }
}

/** One line per way to end, with somebody it happened to. */
export const describeHistory = (documents: readonly HistoryDocument[]): string => {
  const endings = new Map<string, HistoryDocument[]>()
  for (const document of documents) {
    const ending = `${document.status} ${document.reason ?? ''}`
    endings.set(ending, [...(endings.get(ending) ?? []), document])
  }
  const rows = [...endings.values()].sort((a, b) => b.length - a.length).map(toRow)
  return formatTable(['users', 'outcome', 'reason', 'for example'], rows)
}

const toRow = (documents: readonly HistoryDocument[]): string[] => {
  const [{ status, reason, userId, productId, results }] = documents as [HistoryDocument]
  const reached = results.flatMap(({ channel, code }) => (code === null ? [channel] : []))
  const example = `${userId}, of ${productId}${reached.length > 0 ? `, over ${reached.join(' and ')}` : ''}`
  return [String(documents.length), status, reason ?? '', example]
}
