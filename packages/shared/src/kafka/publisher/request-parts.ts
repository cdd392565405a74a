import type { RecordHeaders } from '../headers.ts'
import type { OutgoingRecord } from '../publisher.ts'

export interface RequestBounds {
  maxRecords: number
  maxBytes: number
}

// Lengths, timestamps and offsets around a record. More than they are, since too small a part does no harm.
const recordOverhead = 40

const sizeOf = ({ key, value, headers }: OutgoingRecord, headerSizes: HeaderSizes): number =>
  recordOverhead + byteLength(key) + byteLength(value) + (headers ? headerSizes(headers) : 0)

type HeaderSizes = (headers: RecordHeaders) => number

/** Records that are published together often share their headers. */
const createHeaderSizes = (): HeaderSizes => {
  let last: { headers: RecordHeaders; size: number } | undefined
  return (headers) => {
    if (last?.headers !== headers) last = { headers, size: sizeOfHeaders(headers) }
    return last.size
  }
}

const sizeOfHeaders = (headers: RecordHeaders): number =>
  Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => byteLength(name) + byteLength(value) + 10))
    .reduce((sum, size) => sum + size, 0)

const byteLength = (value: Buffer | string | null): number => (value === null ? 0 : Buffer.byteLength(value))

/**
 * In order, each within the bounds, except that a record larger than `maxBytes` is a part of its own. Brokers bound
 * what one request brings for one partition (`message.max.bytes`), and all of a part may be for the same one.
 */
export function* requestParts(
  records: readonly OutgoingRecord[],
  { maxRecords, maxBytes }: RequestBounds,
): Generator<OutgoingRecord[]> {
  const headerSizes = createHeaderSizes()
  let part: OutgoingRecord[] = []
  let bytes = 0
  for (const record of records) {
    const size = sizeOf(record, headerSizes)
    if (part.length > 0 && (part.length === maxRecords || bytes + size > maxBytes)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(record)
    bytes += size
  }
  if (part.length > 0) yield part
}
