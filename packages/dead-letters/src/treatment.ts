import { quarantineNameOf } from '@dropbell/schemas/topics'
import {
  deadLetterHeaderPrefix,
  type HeaderValue,
  type ReadHeaders,
  type RecordHeaders,
  recordHeaders,
} from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import type { DeadLetter } from './dead-letter.ts'
import type { MarkAction } from './mark.ts'

export type LeftReason = 'no-origin' | 'past-max-replays'

/** Its partition is known before it is sent. */
export type PlacedRecord = OutgoingRecord & { readonly partition: number }

/** What is to be done with one dead letter. */
export type Treatment<Written extends OutgoingRecord = OutgoingRecord> =
  | { readonly kind: 'write'; readonly action: MarkAction; readonly record: Written }
  | { readonly kind: 'mark'; readonly action: MarkAction }
  | { readonly kind: 'leave'; readonly why: LeftReason }

export type Treat<Written extends OutgoingRecord = OutgoingRecord> = (letter: DeadLetter) => Treatment<Written>

export interface ReplayRules {
  /** Instead of the topic it came from. */
  readonly to?: string
  /** One that came back so often is not put back again. */
  readonly maxReplays: number
  /** What is in quarantine already has nowhere else to go, and stays. */
  readonly fromQuarantine: boolean
}

export const treatByReplay =
  ({ to, maxReplays, fromQuarantine }: ReplayRules): Treat =>
  (letter) => {
    if (letter.replayCount >= maxReplays) {
      if (fromQuarantine) return { kind: 'leave', why: 'past-max-replays' }
      return { kind: 'write', action: 'quarantined', record: toQuarantine(letter) }
    }
    const target = to ?? letter.origin.topic
    if (target === undefined) return { kind: 'leave', why: 'no-origin' }
    return { kind: 'write', action: 'replayed', record: restoreRecord(letter, target) }
  }

export const treatByDismissal: Treat = () => ({ kind: 'mark', action: 'dismissed' })

/**
 * The record as it was before it became a dead letter: key and value byte for byte, its headers without those that tell of
 * the failure. Admission looks up whoever was told already by `dropbell-replay-count`.
 */
export const restoreRecord = (
  { key, value, headers, origin, replayCount }: DeadLetter,
  topic: string,
): OutgoingRecord => ({
  topic,
  key,
  value,
  headers: {
    ...keepHeaders(headers, (name) => !isAboutFailure(name) && name !== recordHeaders.replayCount),
    [recordHeaders.replayCount]: Buffer.from(String(replayCount + 1)),
  },
  // Elsewhere the key decides: another topic may have other partitions.
  ...(origin.topic === topic && origin.partition !== undefined && { partition: origin.partition }),
})

const toQuarantine = ({ topic, partition, key, value, headers }: DeadLetter): OutgoingRecord => ({
  topic: quarantineNameOf(topic),
  partition,
  key,
  value,
  headers: keepHeaders(headers, () => true),
})

const isAboutFailure = (name: string): boolean =>
  name.startsWith(deadLetterHeaderPrefix) || name === recordHeaders.attempts

/** kafkajs cannot write a header without value; an empty one is the nearest. */
const keepHeaders = (headers: ReadHeaders, isKept: (name: string) => boolean): RecordHeaders => {
  const orEmpty = (value: HeaderValue | null): HeaderValue => value ?? Buffer.alloc(0)
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => isKept(name))
      .map(([name, values]) => [name, [values ?? null].flat().map(orEmpty)]),
  )
}
