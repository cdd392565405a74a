import type { KafkaMessage } from 'kafkajs'

/** As kafkajs decodes it: of which batch a record is decides whether it counts. */
export type FetchedMessage = KafkaMessage & {
  isControlRecord: boolean
  batchContext: { producerId: string; inTransaction: boolean }
}

export interface AbortedTransaction {
  producerId: string
  firstOffset: string
}

const abortMarker = Buffer.from([0, 0, 0, 0])

/**
 * Without the markers of transactions and without what was aborted. kafkajs's own filter enters one aborted transaction
 * per record, in the order in which the broker lists them, and lets some of two through that overlap.
 */
export const committedOnly = (
  messages: readonly FetchedMessage[],
  abortedTransactions: readonly AbortedTransaction[] | null,
): FetchedMessage[] => {
  const upcoming = (abortedTransactions ?? [])
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset: Number(firstOffset) }))
    .sort((one, other) => one.firstOffset - other.firstOffset)
  const aborting = new Set<string>()
  let next = 0
  return messages.filter(({ offset, key, isControlRecord, batchContext: { producerId, inTransaction } }) => {
    for (; (upcoming[next]?.firstOffset ?? Number.POSITIVE_INFINITY) <= Number(offset); next++) {
      aborting.add(upcoming[next]?.producerId as string)
    }
    if (isControlRecord) {
      if (key?.equals(abortMarker)) aborting.delete(producerId)
      return false
    }
    return !(inTransaction && aborting.has(producerId))
  })
}
