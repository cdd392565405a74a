import { readReplayCount } from '@dropbell/shared/kafka/consumer/consumed-record'
import {
  deadLetterHeaders,
  type ReadHeaders,
  readBytesHeader,
  readTextHeader,
  recordHeaders,
} from '@dropbell/shared/kafka/headers'
import type { KafkaMessage } from 'kafkajs'

/** Where a dead letter came from. Whoever wrote it may have left out any of it. */
export interface LetterOrigin {
  readonly topic: string | undefined
  readonly partition: number | undefined
  readonly offset: string | undefined
  readonly timestamp: number | undefined
  readonly group: string | undefined
}

export interface DeadLetter {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** When it was given up, in milliseconds. */
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: ReadHeaders
  /** The class of the error, the finest that is stable. */
  readonly reason: string
  readonly origin: LetterOrigin
  readonly replayCount: number
}

export const unknownReason = 'unknown'

/** Ours and Spring Kafka's; of a header that occurs several times the last counts, which tells of the last failure. */
export const readDeadLetter = (topic: string, partition: number, message: KafkaMessage): DeadLetter => {
  const headers: ReadHeaders = message.headers ?? {}
  const number = (name: string): bigint | undefined => readInteger(readBytesHeader(headers, name))
  return {
    topic,
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers,
    reason: reasonOf(headers),
    origin: {
      topic: readTextHeader(headers, deadLetterHeaders.originalTopic) || undefined,
      partition: toNumber(number(deadLetterHeaders.originalPartition)),
      offset: number(deadLetterHeaders.originalOffset)?.toString(),
      timestamp: toNumber(number(deadLetterHeaders.originalTimestamp)),
      group: readTextHeader(headers, deadLetterHeaders.originalConsumerGroup),
    },
    replayCount: readReplayCount(headers),
  }
}

/** Spring's exception is nearly always its own wrapper; what it wraps is what happened. */
const reasonOf = (headers: ReadHeaders): string =>
  readTextHeader(headers, deadLetterHeaders.exceptionCauseFqcn) ||
  readTextHeader(headers, deadLetterHeaders.exceptionFqcn) ||
  unknownReason

/**
 * Big-endian as Spring writes it; tools that copy records by hand write text. Bytes that are all digits are text: as an
 * int32 they would be a partition beyond 800 million, as an int64 an offset or a time beyond 3 * 10^18.
 */
export const readInteger = (bytes: Buffer | undefined): bigint | undefined => {
  if (bytes === undefined) return undefined
  const text = bytes.toString('latin1')
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  if (bytes.length === 8) return bytes.readBigInt64BE()
  if (bytes.length === 4) return BigInt(bytes.readInt32BE())
  return undefined
}

const toNumber = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value))

export const failureOf = ({ headers }: DeadLetter) => ({
  message: readTextHeader(headers, deadLetterHeaders.exceptionMessage),
  stack: readTextHeader(headers, deadLetterHeaders.exceptionStacktrace),
  attempts: readTextHeader(headers, recordHeaders.attempts),
})
