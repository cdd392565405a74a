import { failureOf } from '@dropbell/dead-letters/dead-letter'
import type { ScannedLetter } from '@dropbell/dead-letters/scan'
import { keyText } from '@dropbell/dead-letters/survey'
import { redactCredentials } from '@dropbell/shared/redact-credentials'

/** Also what `dlq list --json` prints, one per dead letter. */
export interface ListedLetter {
  readonly place: string
  /** Milliseconds. */
  readonly timestamp: number
  readonly reason: string
  readonly message: string | null
  readonly key: string
  readonly group: string | null
  readonly origin: { readonly topic: string | null; readonly partition: number | null; readonly offset: string | null }
  readonly replayCount: number
  /** How it was dealt with, if it was. */
  readonly done: { readonly action: string; readonly by: string; readonly at: string; readonly run: string } | null
}

/** Of text alone: bytes would keep everything in memory that came with them. */
export const toListed = ({ letter, mark }: ScannedLetter): ListedLetter => {
  const { message } = failureOf(letter)
  const { partition, offset, timestamp, reason, origin, replayCount } = letter
  return {
    place: `${partition}:${offset}`,
    timestamp,
    reason,
    message: message === undefined ? null : redactCredentials(message),
    key: keyText(letter),
    group: origin.group ?? null,
    origin: { topic: origin.topic ?? null, partition: origin.partition ?? null, offset: origin.offset ?? null },
    replayCount,
    done: mark === undefined ? null : { action: mark.action, by: mark.by, at: mark.at, run: mark.run },
  }
}

export interface Newest {
  add(scanned: ScannedLetter): void
  /** The newest first. */
  all(): ListedLetter[]
}

/** Of any number the newest few. */
export const createNewest = (limit: number): Newest => {
  let kept: ListedLetter[] = []
  let oldest = Number.NEGATIVE_INFINITY
  const cut = (): void => {
    kept = kept.sort((one, other) => other.timestamp - one.timestamp).slice(0, limit)
    if (kept.length === limit) oldest = kept.at(-1)?.timestamp ?? oldest
  }
  return {
    add: (scanned) => {
      if (scanned.letter.timestamp < oldest) return
      kept.push(toListed(scanned))
      if (kept.length >= 2 * limit + 100) cut()
    },
    all: () => {
      cut()
      return kept
    },
  }
}
