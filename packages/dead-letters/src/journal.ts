import { dlqStateTopic } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import { publishFailure } from '@dropbell/shared/kafka/publisher/publish-failure'
import { createStablePartitioner } from '@dropbell/shared/kafka/publisher/stable-partitioner'
import { requireEveryPartition, toTopicMessages } from '@dropbell/shared/kafka/publisher/topic-messages'
import type { Kafka, Transaction } from 'kafkajs'
import type { DeadLetter } from './dead-letter.ts'
import { encodeMark, type Mark, markKey } from './mark.ts'
import { encodeRun, type Run, runKey } from './run.ts'
import type { PlacedRecord } from './treatment.ts'

/** What becomes visible together, or not at all. */
export interface JournalEntry {
  readonly records: readonly PlacedRecord[]
  readonly marks: readonly { readonly letter: DeadLetter; readonly mark: Mark }[]
  readonly run: Run
}

/** The right to deal with the dead letters of one topic, until somebody else opens a journal for it. */
export interface Journal {
  /** After RECORD_TOO_LARGE nothing was written and it may be used again; after any other failure the run is over. */
  commit(entry: JournalEntry): Promise<void>
  close(): Promise<void>
}

/**
 * While a transaction is open, consumers do not see what others write behind it. Ours last for milliseconds; that of a
 * run that was killed is ended by the brokers after this time, or by the next run at once.
 */
const transactionTimeoutMs = 10_000

const retry = { initialRetryTime: 100, maxRetryTime: 2_000, factor: 0.2, multiplier: 2, retries: 8 }

/**
 * One transactional id per topic of dead letters. When this returns, the transaction of whoever had it before is committed
 * or aborted, and the brokers refuse everything else from there: what the state says from now on stays true.
 */
export const openJournal = async (kafka: Kafka, dlqTopic: string): Promise<Journal> => {
  const partitioner = createStablePartitioner()
  const producer = kafka.producer({
    transactionalId: `dropbell-dlq-${dlqTopic}`,
    transactionTimeout: transactionTimeoutMs,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: partitioner.create,
    retry,
  })

  const send = async (transaction: Transaction, records: readonly PlacedRecord[]): Promise<void> => {
    const topicMessages = toTopicMessages(records)
    const acknowledged = await transaction.sendBatch({ topicMessages, acks: -1 })
    requireEveryPartition(topicMessages, acknowledged, partitioner.partitionOf)
  }

  const commit = async ({ records, marks, run }: JournalEntry): Promise<void> => {
    const state = [
      ...marks.map(({ letter, mark }) => ({ key: markKey(letter), value: encodeMark(mark) })),
      { key: runKey(run), value: encodeRun(run) },
    ].map((record): PlacedRecord => ({ topic: dlqStateTopic.name, partition: 0, ...record }))
    const transaction = await producer.transaction()
    try {
      for (const ofPartition of byPartition([...state, ...records])) await send(transaction, ofPartition)
    } catch (error) {
      await transaction.abort().catch(() => {})
      throw error
    }
    // Whether it was committed is not known if this fails; the next run asks the state.
    await transaction.commit()
  }

  try {
    await producer.connect()
    // kafkajs asks for the id with the first transaction. One without records ends without a word to the brokers.
    await (await producer.transaction()).commit()
  } catch (error) {
    await producer.disconnect().catch(() => {})
    throw publishFailure(error)
  }
  return {
    commit: (entry) =>
      commit(entry).catch((error) => {
        throw isFenced(error) ? takenOver(dlqTopic, error) : publishFailure(error)
      }),
    close: () => producer.disconnect(),
  }
}

/**
 * One request goes to one partition. Of a request to several leaders kafkajs repeats everything that is unanswered when one
 * of them fails: with new sequence numbers for those whose first answer is still on its way, and they would write it twice
 * in the same transaction. To one partition it repeats with the same numbers, and the broker recognises it.
 */
const byPartition = (records: readonly PlacedRecord[]): Iterable<PlacedRecord[]> => {
  const groups = new Map<string, PlacedRecord[]>()
  for (const record of records) {
    const place = `${record.topic}/${record.partition}`
    const group = groups.get(place)
    if (group === undefined) groups.set(place, [record])
    else group.push(record)
  }
  return groups.values()
}

// What the brokers answer to a producer that is no longer the newest of its id, at each of the steps.
const fencedTypes = ['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_TXN_STATE', 'INVALID_PRODUCER_ID_MAPPING']

const isFenced = (error: unknown): boolean =>
  error instanceof Error && (('type' in error && fencedTypes.includes(String(error.type))) || isFenced(error.cause))

const takenOver = (dlqTopic: string, cause: unknown): PermanentError =>
  new PermanentError(
    'DLQ_RUN_TAKEN_OVER',
    `Somebody else works on ${dlqTopic} now, or this run stood still for longer than ${transactionTimeoutMs / 1_000} s`,
    { cause },
  )
