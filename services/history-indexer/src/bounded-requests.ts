import type { HistoryEntry } from './history-entry.ts'

/** Elasticsearch holds a request in memory as a whole, several times over while it indexes it. */
const maxRequestBytes = 4 * 1024 * 1024

/** In order, as many as fit together into one request; one that is too long by itself goes alone. */
export function* boundedRequests(
  entries: readonly HistoryEntry[],
  maxBytes: number = maxRequestBytes,
): Generator<readonly HistoryEntry[]> {
  let start = 0
  let bytes = 0
  for (const [position, { document }] of entries.entries()) {
    const length = Buffer.byteLength(document)
    if (position > start && bytes + length > maxBytes) {
      yield entries.slice(start, position)
      start = position
      bytes = 0
    }
    bytes += length
  }
  if (start < entries.length) yield entries.slice(start)
}
