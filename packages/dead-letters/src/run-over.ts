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
import type { Selection } from './selection.ts'
import type { Treat, Treatment } from './treatment.ts'

export interface RunOverOptions {
  readonly reader: Pick<TopicReader, 'read'>
  readonly journal: Pick<Journal, 'commit'>
  readonly ranges: readonly PartitionRange[]
  readonly selection: Selection
  readonly marks: Marks
  readonly again: boolean
  readonly treat: Treat
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
  /** Why it failed. */
  readonly error?: unknown
}

interface Treated {
  readonly letter: DeadLetter
  readonly treatment: Exclude<Treatment, { kind: 'leave' }>
}

// Below what brokers take at once by default, with room for what surrounds the records.
const maxBatchBytes = 512 * 1024

/**
 * Treats the selected dead letters in batches, each in one transaction with its marks and the state of the run: wherever
 * it stops, what is marked is done and what is not marked is not. It never rejects.
 */
export const runOver = async (options: RunOverOptions): Promise<RunResult> => {
  const { reader, journal, ranges, selection, marks, again, treat, pace, now, signal, onProgress } = options
  const counts: RunCounts = { ...options.run.counts }
  const stateOf = (state: Run['state'], done: RunCounts = counts): Run => {
    return { ...options.run, state, counts: { ...done }, updatedAt: new Date(now()).toISOString() }
  }

  const commit = async (batch: readonly Treated[]): Promise<void> => {
    await pace.take(batch.length, signal)
    if (signal.aborted) return
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
    const state = signal.aborted ? 'interrupted' : 'finished'
    await journal.commit({ records: [], marks: [], run: stateOf(state) })
    return { state, counts }
  } catch (error) {
    return { state: 'failed', counts, error }
  }
}

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
