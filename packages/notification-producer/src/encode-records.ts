import type { Codec } from '@dropbell/schemas/codec'
import type { Topic } from '@dropbell/schemas/topics'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'

export interface TopicWriter<T> {
  readonly topic: Topic<T>
  readonly codec: Pick<Codec<T>, 'encodeBatch'>
}

/** What every record says about where it comes from. */
export interface RecordOrigin {
  readonly eventId: string
  readonly eventTimestamp: number
  readonly traceparent: string
}

/** All or nothing: one value that does not fit its schema fails the call. */
export const encodeRecords = async <T>(
  { topic, codec }: TopicWriter<T>,
  values: readonly T[],
  { eventId, eventTimestamp, traceparent }: RecordOrigin,
): Promise<OutgoingRecord[]> => {
  const encoded = await codec.encodeBatch(values)
  // As bytes, so that they are encoded once and not with every record.
  const headers = {
    [recordHeaders.eventId]: Buffer.from(eventId),
    [recordHeaders.eventTimestamp]: Buffer.from(String(eventTimestamp)),
    [recordHeaders.traceparent]: Buffer.from(traceparent),
  }
  return values.map((value, index) => {
    return { topic: topic.name, key: topic.keyOf(value), value: encoded[index] as Buffer, headers }
  })
}
