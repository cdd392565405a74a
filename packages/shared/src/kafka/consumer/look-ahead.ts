import type { KafkaMessage } from 'kafkajs'
import type { Decode } from './consumed-record.ts'

export interface LookAheadOptions<T> {
  decode: Decode<T>
  /**
   * Shown everything that a fetch brought of a partition before the first chunk of it is handled, if it takes several.
   * Only a look: a failure counts for nothing, since the handler is given the same records and fails by itself.
   */
  lookAhead?(values: readonly T[]): Promise<void>
  maxBatchRecords: number
}

export const showAhead = async <T>(
  { decode, lookAhead, maxBatchRecords }: LookAheadOptions<T>,
  messages: readonly KafkaMessage[],
): Promise<void> => {
  if (lookAhead === undefined || messages.length <= maxBatchRecords) return
  try {
    const decoded = await decode(messages.map(({ value }) => value))
    await lookAhead(decoded.flatMap((result) => (result.ok ? [result.value] : [])))
  } catch {
    // As said above: whoever handles the records meets the same failure, and is retried for it.
  }
}
