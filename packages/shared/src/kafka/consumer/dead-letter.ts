import type { KafkaMessage } from 'kafkajs'
import { DropbellError } from '../../errors.ts'
import { redactCredentials } from '../../redact-credentials.ts'
import { deadLetterHeaders, type HeaderValue, type ReadHeaders, type RecordHeaders, recordHeaders } from '../headers.ts'
import type { OutgoingRecord } from '../publisher.ts'
import { type Origin, readReplayCount } from './consumed-record.ts'

export interface DeadLetter extends Origin {
  message: KafkaMessage
  groupId: string
  error: unknown
  attempts: number
}

const maxHeaderBytes = 4 * 1024 - 1
const maxMessageBytes = 1024
// The lengths of a name and of a value that is no longer than all headers may be.
const headerOverhead = 4

/**
 * The record as it was: key, value and headers byte for byte, the same partition; and why it is here. Headers of ours
 * that it has already, because it is a dead letter that was put back, are replaced: they tell of the last failure.
 */
export const toDeadLetter = (deadLetter: DeadLetter, topicSuffix: string): OutgoingRecord => {
  const { topic, partition, message } = deadLetter
  const about = aboutOrigin(deadLetter)
  const kept = withoutOurs(message.headers ?? {})
  const budget = maxHeaderBytes - sizeOfHeaders(kept) - sizeOfHeaders(about)
  return {
    topic: `${topic}${topicSuffix}`,
    key: message.key,
    value: message.value,
    partition,
    headers: { ...kept, ...about, ...aboutError(deadLetter.error, budget) },
  }
}

const aboutOrigin = ({ topic, partition, message, groupId, attempts, error }: DeadLetter): Record<string, Buffer> => ({
  [deadLetterHeaders.originalTopic]: Buffer.from(topic),
  [deadLetterHeaders.originalPartition]: int32(partition),
  [deadLetterHeaders.originalOffset]: int64(message.offset),
  [deadLetterHeaders.originalTimestamp]: int64(message.timestamp),
  [deadLetterHeaders.originalConsumerGroup]: Buffer.from(groupId),
  [deadLetterHeaders.exceptionFqcn]: Buffer.from(cut(qualifiedName(error), 200)),
  [recordHeaders.attempts]: Buffer.from(String(attempts)),
  [recordHeaders.replayCount]: Buffer.from(String(readReplayCount(message.headers ?? {}))),
})

/** The message comes first; the stack gets the room that is left. What has no room is left out. */
const aboutError = (error: unknown, budget: number): Record<string, Buffer> => {
  const headers: Record<string, Buffer> = {}
  let left = budget
  const add = (name: string, text: string, maxBytes: number): void => {
    const room = Math.min(maxBytes, left - Buffer.byteLength(name) - headerOverhead)
    if (room <= 0 || text === '') return
    headers[name] = Buffer.from(cut(redactCredentials(text), room))
    left -= sizeOfHeader(name, headers[name])
  }
  add(deadLetterHeaders.exceptionMessage, error instanceof Error ? error.message : String(error), maxMessageBytes)
  add(deadLetterHeaders.exceptionStacktrace, stackOf(error), maxHeaderBytes)
  return headers
}

/** Where Java's have a package and a class, ours have a class and a code that stays the same: the finest that is stable. */
const qualifiedName = (error: unknown): string => {
  if (error instanceof DropbellError) return `${error.name}.${error.code}`
  return error instanceof Error ? error.name : typeof error
}

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  const cause = stackOf(error.cause)
  return `${error.stack ?? ''}${cause === '' ? '' : `\nCaused by: ${cause}`}`
}

const ours = new Set<string>([...Object.values(deadLetterHeaders), recordHeaders.attempts, recordHeaders.replayCount])

/** kafkajs cannot write a header without value; an empty one is the nearest. */
const withoutOurs = (headers: ReadHeaders): RecordHeaders => {
  const orEmpty = (value: HeaderValue | null): HeaderValue => value ?? Buffer.alloc(0)
  const entries = Object.entries(headers)
    .filter(([name]) => !ours.has(name))
    .map(([name, values]) => [name, [values ?? null].flat().map(orEmpty)] as const)
  return Object.fromEntries(entries)
}

const sizeOfHeaders = (headers: RecordHeaders): number =>
  Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => sizeOfHeader(name, value)))
    .reduce((sum, size) => sum + size, 0)

const sizeOfHeader = (name: string, value: HeaderValue): number =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + headerOverhead

/** At most so many bytes of UTF-8, and no half of a character. */
const cut = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int64 = (value: string): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}
