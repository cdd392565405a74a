import type { KafkaMessage } from 'kafkajs'
import type { ConsumedRecord } from './consumed-record.ts'

/** A record on its way to its end. */
export interface ChunkEntry<T> {
  readonly message: KafkaMessage
  /** Once it is decoded. */
  record: ConsumedRecord<T> | undefined
  attempts: number
  /** Of the last try. */
  error: unknown
  state: 'unsettled' | 'processed' | 'dead-lettered'
}

export const fail = <T>(entry: ChunkEntry<T>, error: unknown): void => {
  entry.error = error ?? new Error('rejected without a reason')
  entry.attempts++
}
