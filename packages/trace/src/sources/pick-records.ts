import type { Codec } from '@dropbell/schemas/codec'
import { TransientError } from '@dropbell/shared/errors'
import { type ReadHeaders, readTextHeader, recordHeaders } from '@dropbell/shared/kafka/headers'
import type { KafkaMessage } from 'kafkajs'
import type { Coverage, FoundRecord } from '../facts.ts'
import type { Scan, ScanRequest } from '../scan-topic.ts'

export interface PickedRecord extends FoundRecord {
  readonly message: KafkaMessage
  readonly headers: ReadHeaders
}

export interface PickedRecords {
  readonly picked: readonly PickedRecord[]
  readonly coverage: Coverage
}

export type PickRecords = (
  request: Pick<ScanRequest, 'topic' | 'keys' | 'since'>,
  isWanted: (message: KafkaMessage) => boolean,
) => Promise<PickedRecords>

// Of a topic: more than anybody reads, few enough to hold in memory whatever their size. The newest stay.
const mostPicked = 2_000

export const createPickRecords =
  (scan: Scan, bounds: Pick<ScanRequest, 'mostRecords' | 'onProgress'>): PickRecords =>
  async (request, isWanted) => {
    const picked: PickedRecord[] = []
    let isFull = false
    const { topic } = request
    const { since, cut } = await scan({ ...request, ...bounds }, (message, partition) => {
      if (!isWanted(message)) return
      isFull ||= picked.length === mostPicked
      if (isFull) picked.shift()
      const place = { topic, partition, offset: message.offset }
      picked.push({ place, at: Number(message.timestamp), message, headers: message.headers ?? {} })
    })
    return { picked, coverage: { since, cut: cut || isFull } }
  }

export interface DecodedRecord<T> {
  readonly record: PickedRecord
  /** Null where the bytes cannot be read; `fault` says why. */
  readonly value: T | null
  readonly fault: string | null
}

export const decodeEach = async <T>(
  codec: Pick<Codec<T>, 'decodeBatch'>,
  picked: readonly PickedRecord[],
): Promise<DecodedRecord<T>[]> => {
  const decoded = await codec.decodeBatch(picked.map(({ message }) => message.value))
  return picked.map((record, index) => {
    const result = decoded[index]
    if (result?.ok) return { record, value: result.value, fault: null }
    // A registry that is away says nothing about the record.
    if (result?.error instanceof TransientError) throw result.error
    return { record, value: null, fault: result?.error.message ?? null }
  })
}

export const eventIdOf = ({ headers }: PickedRecord): string | null =>
  readTextHeader(headers, recordHeaders.eventId) ?? null

export const keyOf = ({ message }: PickedRecord): string | null => message.key?.toString() ?? null

/**
 * Whether a record may be meant, without decoding it: Avro writes texts as they are, so that an id which is not in the
 * bytes is not in the record. With a key that is asked for, the bytes need not be looked at.
 */
export const mentions = (ids: readonly string[], keys: readonly string[]) => {
  const inBytes = ids.map((id) => Buffer.from(id))
  const asked = new Set(keys)
  return ({ key, value, headers = {} }: KafkaMessage): boolean => {
    if (key && asked.has(key.toString())) return true
    const eventId = readTextHeader(headers as ReadHeaders, recordHeaders.eventId)
    if (eventId !== undefined && ids.includes(eventId)) return true
    return value !== null && inBytes.some((id) => value.includes(id))
  }
}
