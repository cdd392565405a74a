import type { Logger } from '../../log.ts'
import type { OutgoingRecord } from '../publisher.ts'
import type { ChunkEntry } from './chunk-entry.ts'
import type { Origin } from './consumed-record.ts'
import type { ConsumerMetrics } from './consumer-metrics.ts'
import { toDeadLetter } from './dead-letter.ts'
import { type DeadLetterKind, decideFailure, failedDependency, type RetryPolicy } from './decide-failure.ts'
import { tryRecords } from './try-records.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { Work } from './work.ts'

export interface GiveUpOptions {
  groupId: string
  publish(records: readonly OutgoingRecord[]): Promise<void>
  policy: RetryPolicy
  metrics: ConsumerMetrics
  log: Logger
}

/**
 * Dead-letters what is not to be retried; answers with the dependencies that were the reason. They are written together,
 * and apart if that fails: one that is too large even for the dead letters must not keep the others.
 */
export const giveUp = async <T>(
  options: GiveUpOptions,
  origin: Origin,
  entries: readonly ChunkEntry<T>[],
  { signal, progress }: Work,
): Promise<string[]> => {
  const { groupId, policy, publish, metrics, log } = options
  const given = new Map<ChunkEntry<T>, DeadLetterKind>()
  for (const entry of entries) {
    const kind = reasonToGiveUp(entry, policy)
    if (kind !== undefined) given.set(entry, kind)
  }
  const write = async (part: readonly ChunkEntry<T>[]): Promise<void> => {
    const records = part.map((entry) => toDeadLetter({ ...origin, ...entry, groupId }, policy.topicSuffix))
    await unlessAborted(publish(records), signal).finally(progress)
  }
  const outages = new Set<string>()
  for (const [entry, outcome] of await tryRecords([...given.keys()], write, signal)) {
    const kind = given.get(entry)
    if (kind === undefined) continue
    const about = { ...origin, offset: entry.message.offset, attempts: entry.attempts, kind }
    if (!outcome.ok) {
      metrics.deadLetterFailed()
      log.error({ err: outcome.error, ...about }, 'dead letter could not be written, record stays')
      continue
    }
    entry.state = 'dead-lettered'
    metrics.deadLettered(kind)
    log.warn({ err: entry.error, ...about }, 'record dead-lettered')
    const dependency = failedDependency(entry.error)
    if (kind === 'dependency' && dependency !== undefined) outages.add(dependency)
  }
  return [...outages]
}

const reasonToGiveUp = <T>(
  { error, attempts, record }: ChunkEntry<T>,
  policy: RetryPolicy,
): DeadLetterKind | undefined => {
  if (error === undefined) return undefined
  const decision = decideFailure(error, attempts, policy)
  if (decision.action === 'retry') return undefined
  return decision.kind === 'permanent' && record === undefined ? 'decode' : decision.kind
}
