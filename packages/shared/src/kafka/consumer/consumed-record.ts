import type { KafkaMessage } from 'kafkajs'
import type { DropbellError } from '../../errors.ts'
import { type ReadHeaders, readTextHeader, recordHeaders } from '../headers.ts'
import { continueTrace } from '../traceparent.ts'

export interface ConsumedRecord<T> {
  topic: string
  partition: number
  offset: string
  key: Buffer | null
  /** Milliseconds, as the producer or the broker has set it. */
  timestamp: number
  value: T
  headers: ReadHeaders
  /** The trace the record came with, or one that begins here. */
  traceparent: string
  /** How often it was put back from the dead letters. */
  replayCount: number
}

export type Decode<T> = (
  values: readonly (Buffer | null)[],
) => Promise<ReadonlyArray<{ ok: true; value: T } | { ok: false; error: DropbellError }>>

export interface HandlerContext {
  /** Aborted when the time for work in hand is up: what is not done then is done again by whoever gets the records. */
  signal: AbortSignal
  /**
   * Whether the work in hand should come to its end: the consumer stops or its group is rebalanced. What is thrown
   * from then on is no failure of the records; whoever gets them next goes on.
   */
  isInterrupted(): boolean
  /**
   * To be called by a handler that takes long, each time it has got somewhere: it keeps the consumer in its group. A
   * handler that is stuck does not call it, and another consumer takes over. Never rejects.
   */
  progress(): Promise<void>
}

/**
 * Resolves when the output of all records is acknowledged. It may see records again, so it must be idempotent. If it
 * knows which of them failed, it throws FailedRecords.
 */
export type Handle<T> = (records: readonly ConsumedRecord<T>[], context: HandlerContext) => Promise<void>

export interface Origin {
  topic: string
  partition: number
}

export const toConsumedRecord = <T>(
  { topic, partition }: Origin,
  message: KafkaMessage,
  value: T,
): ConsumedRecord<T> => {
  const headers: ReadHeaders = message.headers ?? {}
  return {
    topic,
    partition,
    offset: message.offset,
    key: message.key,
    timestamp: Number(message.timestamp),
    value,
    headers,
    traceparent: continueTrace(readTextHeader(headers, recordHeaders.traceparent)),
    replayCount: readReplayCount(headers),
  }
}

export const readReplayCount = (headers: ReadHeaders): number => {
  const text = readTextHeader(headers, recordHeaders.replayCount) ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}
