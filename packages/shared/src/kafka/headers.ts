/** Every header about a failure begins with it, also those of Spring Kafka that we do not know. */
export const deadLetterHeaderPrefix = 'kafka_dlt-'

/** Our headers, by their names on the wire. All are text. */
export const recordHeaders = {
  eventId: 'dropbell-event-id',
  eventTimestamp: 'dropbell-event-timestamp',
  traceparent: 'traceparent',
  attempts: 'dropbell-attempts',
  replayCount: 'dropbell-replay-count',
} as const

/** Spring Kafka's, so that existing tools read our dead letters. Numbers are big-endian integers, the rest is text. */
export const deadLetterHeaders = {
  originalTopic: 'kafka_dlt-original-topic',
  /** int32 */
  originalPartition: 'kafka_dlt-original-partition',
  /** int64 */
  originalOffset: 'kafka_dlt-original-offset',
  /** int64, milliseconds */
  originalTimestamp: 'kafka_dlt-original-timestamp',
  originalConsumerGroup: 'kafka_dlt-original-consumer-group',
  exceptionFqcn: 'kafka_dlt-exception-fqcn',
  /** Spring's own wrapper is the exception, and this is what it wraps. Ours have none. */
  exceptionCauseFqcn: 'kafka_dlt-exception-cause-fqcn',
  exceptionMessage: 'kafka_dlt-exception-message',
  exceptionStacktrace: 'kafka_dlt-exception-stacktrace',
} as const

export type HeaderValue = Buffer | string

/** A header that occurs several times has several values. */
export type RecordHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>

/** As they are read: kafkajs does not declare it, but a header may also have no value. */
export type ReadHeaders = Readonly<Record<string, HeaderValue | null | undefined | readonly (HeaderValue | null)[]>>

/** The last one counts, as in Kafka's own `lastHeader`. */
export const readTextHeader = (headers: ReadHeaders, name: string): string | undefined =>
  lastHeader(headers, name)?.toString()

export const readBytesHeader = (headers: ReadHeaders, name: string): Buffer | undefined => {
  const value = lastHeader(headers, name)
  return typeof value === 'string' ? Buffer.from(value) : value
}

const lastHeader = (headers: ReadHeaders, name: string): HeaderValue | undefined => {
  const values = headers[name]
  return (Array.isArray(values) ? values.at(-1) : values) ?? undefined
}
