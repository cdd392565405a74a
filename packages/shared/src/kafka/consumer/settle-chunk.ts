import type { KafkaMessage } from 'kafkajs'
import { PermanentError, TransientError } from '../../errors.ts'
import { type ChunkEntry, fail } from './chunk-entry.ts'
import { type ConsumedRecord, type Decode, type Handle, type Origin, toConsumedRecord } from './consumed-record.ts'
import type { RetryPolicy } from './decide-failure.ts'
import { type GiveUpOptions, giveUp } from './give-up.ts'
import { tryRecords } from './try-records.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { Work } from './work.ts'

export interface SettleOptions<T> extends GiveUpOptions {
  decode: Decode<T>
  handle: Handle<T>
}

export interface SettledChunk {
  /** Everything up to here is processed or dead-lettered; undefined if not even the first record is. */
  lastOffset: string | undefined
  processed: number
  deadLettered: number
  /** Left for whoever gets the records next, because the work was interrupted. */
  unsettled: number
  rounds: number
  /** The dependencies for whose failure records were dead-lettered. */
  outages: ReadonlySet<string>
}

/**
 * Brings the records of a chunk to their end, in rounds. In a round every unsettled record is tried once; then the ones
 * to be given up are dead-lettered together, and the others wait together for the next round. So a chunk takes as long
 * as its worst record, not as the sum of its bad ones. It ends when all records are settled or the work is interrupted.
 *
 * A dead letter that cannot be written leaves its record unsettled: the next round tries the record again, and if that
 * fails the dead letter again, for as long as it takes.
 */
export const settleChunk = async <T>(
  options: SettleOptions<T>,
  origin: Origin,
  messages: readonly KafkaMessage[],
  work: Work,
): Promise<SettledChunk> => {
  const { policy, metrics } = options
  const entries = messages.map(
    (message): ChunkEntry<T> => ({ message, record: undefined, attempts: 0, error: undefined, state: 'unsettled' }),
  )
  const unsettled = () => entries.filter(({ state }) => state === 'unsettled')
  const outages = new Set<string>()
  let rounds = 0
  for (;;) {
    rounds++
    const tried = unsettled().filter(({ error }) => !isHopeless(error, policy))
    await decodeEntries(options, origin, tried, work)
    await handleEntries(options, tried, work)
    for (const dependency of await giveUp(options, origin, unsettled(), work)) outages.add(dependency)
    const left = unsettled()
    if (left.length === 0 || work.isInterrupted()) break
    metrics.retried(left.length)
    options.log.warn(
      { err: left[0]?.error, ...origin, records: left.length, attempts: rounds },
      'records failed, will be retried',
    )
    await work.wait(policy.backoffMs)
    if (work.isInterrupted()) break
  }
  return summarize(entries, rounds, outages)
}

/** To try again is pointless; only its dead letter is still to be written. */
const isHopeless = (error: unknown, policy: RetryPolicy): boolean =>
  policy.deadLetters && error instanceof PermanentError

/** Bytes need decoding once. Those of a record that failed in here are decoded again when it is retried. */
const decodeEntries = async <T>(
  { decode }: SettleOptions<T>,
  origin: Origin,
  entries: readonly ChunkEntry<T>[],
  { signal, progress }: Work,
): Promise<void> => {
  const encoded = entries.filter(({ record }) => record === undefined)
  if (encoded.length === 0) return
  try {
    const results = await unlessAborted(decode(encoded.map(({ message }) => message.value)), signal)
    for (const [index, entry] of encoded.entries()) {
      const result = results[index]
      if (result?.ok) entry.record = toConsumedRecord(origin, entry.message, result.value)
      else fail(entry, asDecodeFailure(result?.error ?? new Error('the decoder gave no answer')))
    }
  } catch (error) {
    if (signal.aborted) return
    for (const entry of encoded) fail(entry, asDecodeFailure(error))
  }
  await progress()
}

/** Whoever decodes depends on nothing but the registry of schemas, whether or not the error says so. */
const asDecodeFailure = (error: unknown): unknown =>
  error instanceof TransientError && error.dependency === undefined
    ? new TransientError(error.code, error.message, { cause: error, dependency: 'schema-registry' })
    : error

const handleEntries = async <T>(
  { handle, log }: SettleOptions<T>,
  entries: readonly ChunkEntry<T>[],
  { signal, progress, isInterrupted }: Work,
): Promise<void> => {
  const byRecord = new Map<ConsumedRecord<T>, ChunkEntry<T>>()
  for (const entry of entries) if (entry.record !== undefined) byRecord.set(entry.record, entry)
  const attempt = async (records: readonly ConsumedRecord<T>[]): Promise<void> => {
    try {
      // In an async function, so that a handler that throws at once has failed like any other.
      await unlessAborted((async () => handle(records, { signal, progress, isInterrupted }))(), signal)
    } finally {
      await progress()
    }
  }
  for (const [record, outcome] of await tryRecords([...byRecord.keys()], attempt, signal)) {
    const entry = byRecord.get(record)
    if (entry === undefined) continue
    // As the handler was told: whoever gets the record next tries it anew.
    if (!outcome.ok && isInterrupted()) continue
    if (!outcome.ok) fail(entry, outcome.error)
    else {
      entry.state = 'processed'
      entry.attempts++
    }
    const { topic, partition, offset, traceparent } = record
    const err = outcome.ok ? undefined : outcome.error
    log.debug({ topic, partition, offset, traceparent, attempts: entry.attempts, err }, 'record tried')
  }
}

const summarize = <T>(
  entries: readonly ChunkEntry<T>[],
  rounds: number,
  outages: ReadonlySet<string>,
): SettledChunk => {
  const count = (wanted: ChunkEntry<T>['state']) => entries.filter(({ state }) => state === wanted).length
  const firstUnsettled = entries.findIndex(({ state }) => state === 'unsettled')
  const settled = firstUnsettled === -1 ? entries : entries.slice(0, firstUnsettled)
  return {
    lastOffset: settled.at(-1)?.message.offset,
    processed: count('processed'),
    deadLettered: count('dead-lettered'),
    unsettled: count('unsettled'),
    rounds,
    outages,
  }
}
