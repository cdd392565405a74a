import { PermanentError } from '@dropbell/shared/errors'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { requestParts } from '@dropbell/shared/kafka/publisher/request-parts'
import type { PartitionRange, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { DeadLetter } from './dead-letter.ts'
import type { Journal } from './journal.ts'
import type { MarkAction } from './mark.ts'
import type { Marks } from './marks.ts'
import type { Pace } from './pace.ts'
import type { Run, RunCounts } from './run.ts'
import { scan } from './scan.ts'
import { placeText, type Selection } from './selection.ts'
import type { PlacedRecord, Treat, Treatment } from './treatment.ts'

export interface RunOverOptions {
  readonly reader: Pick<TopicReader, 'read'>
  readonly journal: Pick<Journal, 'commit'>
  readonly ranges: readonly PartitionRange[]
  readonly selection: Selection
  readonly marks: Marks
  readonly again: boolean
  readonly treat: Treat<PlacedRecord>
  readonly pace: Pace
  /** As it begins: who, what, how many. */
  readonly run: Run
  readonly now: () => number
  readonly signal: AbortSignal
  readonly onProgress: (counts: RunCounts) => void
}

export interface RunResult {
  readonly state: 'finished' | 'interrupted' | 'failed'
  readonly counts: RunCounts
  /** Those that their topic does not take, because each of them is too large for it. */
  readonly tooLarge: TooLarge
  /** Why it failed. */
  readonly error?: unknown
}

export interface TooLarge {
  readonly count: number
  /** Where the first of them are. */
  readonly places: readonly string[]
}

interface Treated {
  readonly letter: DeadLetter
  readonly treatment: Exclude<Treatment<PlacedRecord>, { kind: 'leave' }>
}

// Below what brokers take at once by default, with room for what surrounds the records.
const maxBatchBytes = 512 * 1024
const maxPlaces = 100

/**
 * Treats the selected dead letters in batches, each in one transaction with its marks and the state of the run: wherever
 * it stops, what is marked is done and what is not marked is not. It never rejects.
 */
export const runOver = async (options: RunOverOptions): Promise<RunResult> => {
  const { reader, journal, ranges, selection, marks, again, treat, pace, now, signal, onProgress } = options
  const counts: RunCounts = { ...options.run.counts }
  const tooLarge = { count: 0, places: [] as string[] }
  const stateOf = (state: Run['state'], done: RunCounts = counts): Run => {
    return { ...options.run, state, counts: { ...done }, updatedAt: new Date(now()).toISOString() }
  }

  const write = async (batch: readonly Treated[]): Promise<void> => {
    const done = { ...counts }
    for (const { treatment } of batch) done[treatment.action]++
    const { by, id: run } = options.run
    const at = new Date(now()).toISOString()
    await journal.commit({
      records: batch.flatMap(({ treatment }) => (treatment.kind === 'write' ? [treatment.record] : [])),
      marks: batch.map(({ letter, treatment }) => {
        const target = treatment.kind === 'write' ? treatment.record.topic : null
        return {
          letter,
          mark: { version: 1, action: treatment.action, by, at, run, target, timestamp: letter.timestamp },
        }
      }),
      run: stateOf('running', done),
    })
    Object.assign(counts, done)
    onProgress(counts)
  }

  /** A topic may take less than another: what is too large is looked for by halves, and left alone. */
  const writeOrDivide = async (batch: readonly Treated[]): Promise<void> => {
    if (signal.aborted) return
    try {
      await write(batch)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      const [first, ...others] = batch
      if (first !== undefined && others.length === 0) {
        tooLarge.count++
        if (tooLarge.places.length < maxPlaces) tooLarge.places.push(placeText(first.letter))
        return
      }
      const middle = Math.ceil(batch.length / 2)
      await writeOrDivide(batch.slice(0, middle))
      await writeOrDivide(batch.slice(middle))
    }
  }

  const commit = async (batch: readonly Treated[]): Promise<void> => {
    await pace.take(batch.length, signal)
    await writeOrDivide(batch)
  }

  const work = async (): Promise<void> => {
    await journal.commit({ records: [], marks: [], run: stateOf('running') })
    const waiting: Treated[] = []
    for await (const { letters } of scan({ reader, topic: options.run.topic, ranges, selection, marks })) {
      for (const { letter, mark } of letters) {
        if (mark !== undefined && !again) continue
        const treatment = treat(letter)
        if (treatment.kind !== 'leave') waiting.push({ letter, treatment })
      }
      while (waiting.length >= pace.batchSize && !signal.aborted) {
        for (const batch of withinBytes(waiting.splice(0, pace.batchSize))) await commit(batch)
      }
      if (signal.aborted) return
    }
    for (const batch of withinBytes(waiting.splice(0))) await commit(batch)
  }

  try {
    await work()
    const { replayed, quarantined, dismissed } = counts
    const isAllSeenTo = replayed + quarantined + dismissed + tooLarge.count >= options.run.selected
    const state = signal.aborted && !isAllSeenTo ? 'interrupted' : 'finished'
    await journal.commit({ records: [], marks: [], run: stateOf(state) })
    return { state, counts, tooLarge }
  } catch (error) {
    return { state: 'failed', counts, tooLarge, error }
  }
}

const isTooLarge = (error: unknown): boolean => error instanceof PermanentError && error.code === 'RECORD_TOO_LARGE'

function* withinBytes(batch: readonly Treated[]): Generator<readonly Treated[]> {
  const records = batch.map(({ letter, treatment }): OutgoingRecord => {
    return treatment.kind === 'write' ? treatment.record : { topic: letter.topic, key: null, value: null }
  })
  let begin = 0
  for (const { length } of requestParts(records, { maxRecords: batch.length, maxBytes: maxBatchBytes })) {
    yield batch.slice(begin, begin + length)
    begin += length
  }
}

export const noCounts: Readonly<Record<MarkAction, number>> = { replayed: 0, quarantined: 0, dismissed: 0 }
