import { openJournal } from '@dropbell/dead-letters/journal'
import { noMarks } from '@dropbell/dead-letters/marks'
import { createPace } from '@dropbell/dead-letters/pace'
import { ensureQuarantineTopic } from '@dropbell/dead-letters/quarantine-topic'
import { newRunId, type Run } from '@dropbell/dead-letters/run'
import { noCounts, type RunResult, runOver } from '@dropbell/dead-letters/run-over'
import { rangesOf, type Selection } from '@dropbell/dead-letters/selection'
import { type Survey, survey } from '@dropbell/dead-letters/survey'
import { readTargets, withinPartitions } from '@dropbell/dead-letters/targets'
import type { Treat } from '@dropbell/dead-letters/treatment'
import type { PartitionExtent } from '@dropbell/shared/kafka/topic-reader'
import type { Session } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { requireDlqTopic } from './find-dlq-topics.ts'
import { formatCount } from './format-facts.ts'
import { readDone, readDoneBefore, requireStateTopic } from './read-marks.ts'
import { createRunProgress } from './run-progress.ts'
import type { DlqClients } from './with-dlq.ts'

export interface TreatOptions {
  readonly command: Run['command']
  readonly topic: string
  readonly selection: Selection
  readonly treat: Treat
  readonly again: boolean
  readonly rate?: number
  /** The topic that the operator named, if one was. */
  readonly to?: string
  readonly by: string
  /** For the record of the run. */
  readonly noted: Record<string, unknown>
  readonly onSurvey: (surveyed: Survey) => void
}

export interface TreatedLetters {
  readonly run: Run
  readonly result: RunResult
}

/** What a run would do, by what is known now. */
export const rehearse = async (clients: DlqClients, session: Session, options: TreatOptions): Promise<void> => {
  const { topic } = options
  const extent = await requireDlqTopic(clients, topic, clients.suffix)
  const { marks } = await readDone(clients.reader, session.output, { topic })
  const { surveyed } = await look(clients, session, options, extent, marks.get(topic) ?? noMarks)
  await findTargets(clients, options, surveyed)
  options.onSurvey(surveyed)
}

/** Undefined if nothing was selected. Ctrl-C ends it at once before the first transaction, and between two after that. */
export const treatLetters = async (
  clients: DlqClients,
  session: Session,
  options: TreatOptions,
): Promise<TreatedLetters | undefined> => {
  const { reader, client, admin } = clients
  const { output, signal } = session
  const { topic } = options
  const unlessInterrupted = <T>(work: Promise<T>): Promise<T> => untilInterrupted(signal, work)

  const extent = await unlessInterrupted(requireDlqTopic(clients, topic, clients.suffix))
  await unlessInterrupted(requireStateTopic(reader))
  // First the right to write, then what was written: nobody can mark anything of this topic in between.
  const journal = await openJournal(client, topic)
  try {
    const { marks } = await unlessInterrupted(readDoneBefore(reader, output, topic))
    const done = marks.get(topic) ?? noMarks
    const { surveyed, ranges } = await unlessInterrupted(look(clients, session, options, extent, done))
    const partitions = await unlessInterrupted(findTargets(clients, options, surveyed))
    options.onSurvey(surveyed)
    const { replayed, quarantined, dismissed } = surveyed.actions
    const planned = replayed + quarantined + dismissed
    if (planned === 0) return undefined
    if (quarantined > 0) await unlessInterrupted(ensureQuarantineTopic(admin, topic))

    const run = beginRun(options, planned)
    const result = await runOver({
      ...options,
      reader,
      journal,
      ranges,
      marks: done,
      treat: withinPartitions(options.treat, partitions),
      pace: createPace(options.rate),
      run,
      now: Date.now,
      signal,
      onProgress: createRunProgress(output, planned),
    })
    return { run, result }
  } finally {
    await journal.close().catch(() => {})
  }
}

const look = async (
  { reader }: DlqClients,
  { output }: Session,
  { topic, selection, again, treat }: TreatOptions,
  extent: readonly PartitionExtent[],
  marks: typeof noMarks,
) => {
  const ranges = await rangesOf(reader, topic, extent, selection)
  const onProgress = (looked: number) => output.progress(`${formatCount(looked)} records read …`)
  return { ranges, surveyed: await survey({ reader, topic, ranges, selection, marks, again, treat, onProgress }) }
}

const findTargets = ({ reader, suffix }: DlqClients, { to }: TreatOptions, { replayTargets }: Survey) => {
  const topics = replayTargets.top(Number.POSITIVE_INFINITY).map(({ value }) => value)
  return readTargets(reader, topics, { dlqSuffix: suffix, ...(to !== undefined && { to }) })
}

const beginRun = ({ command, topic, by, noted }: TreatOptions, selected: number): Run => {
  const now = Date.now()
  const begunAt = new Date(now).toISOString()
  return {
    version: 1,
    id: newRunId(now),
    command,
    topic,
    options: noted,
    by,
    begunAt,
    updatedAt: begunAt,
    state: 'running',
    selected,
    counts: { ...noCounts },
  }
}
