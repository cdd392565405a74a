import {
  deadLetterHeaders,
  type ReadHeaders,
  readBytesHeader,
  readTextHeader,
  recordHeaders,
} from '@dropbell/shared/kafka/headers'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import type { FoundDeadLetter } from './facts.ts'

type AboutFailure = Pick<FoundDeadLetter, 'origin' | 'group' | 'reason' | 'message' | 'attempts'>

/** Why a record was given up and where it had been, by the headers that Spring Kafka and we write. */
export const readFailure = (headers: ReadHeaders): AboutFailure => {
  const topic = readTextHeader(headers, deadLetterHeaders.originalTopic)
  const partition = readInteger(readBytesHeader(headers, deadLetterHeaders.originalPartition))
  const offset = readInteger(readBytesHeader(headers, deadLetterHeaders.originalOffset))
  const attempts = Number(readTextHeader(headers, recordHeaders.attempts) ?? Number.NaN)
  return {
    origin: topic === undefined ? null : `${topic} ${partition ?? '?'}:${offset ?? '?'}`,
    group: readTextHeader(headers, deadLetterHeaders.originalConsumerGroup) ?? null,
    reason:
      readTextHeader(headers, deadLetterHeaders.exceptionCauseFqcn) ??
      readTextHeader(headers, deadLetterHeaders.exceptionFqcn) ??
      'unknown',
    message: redactCredentials(readTextHeader(headers, deadLetterHeaders.exceptionMessage) ?? '') || null,
    attempts: Number.isInteger(attempts) ? attempts : null,
  }
}

const readInteger = (bytes: Buffer | undefined): bigint | undefined => {
  if (bytes?.length === 4) return BigInt(bytes.readInt32BE())
  return bytes?.length === 8 ? bytes.readBigInt64BE() : undefined
}
