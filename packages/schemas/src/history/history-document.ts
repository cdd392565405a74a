import type { NotificationOutcome } from '../generated/notification-outcome.ts'

/** A notification in the history, as its newest outcome tells it. Times are milliseconds since the epoch. */
export interface HistoryDocument extends NotificationOutcome {
  /** When the first target took it; null unless it was sent. */
  readonly sentAt: number | null
}

export const historyDocumentOf = (outcome: NotificationOutcome): HistoryDocument => ({
  ...outcome,
  sentAt: outcome.status === 'SENT' ? sentAtOf(outcome) : null,
})

/** A later revision, such as that of a second device, does not make it sent later. */
const sentAtOf = ({ results, occurredAt }: NotificationOutcome): number => {
  const taken = results.flatMap(({ code, at }) => (code === null ? [at] : []))
  return taken.length === 0 ? occurredAt : Math.min(...taken)
}

/**
 * Its external version: a refusal of a producer, or a dead letter, has 1, the outcomes of a sender 2 and up. So what
 * a replay is refused for never takes the place of what was sent.
 */
export const historyVersionOf = ({ revision }: NotificationOutcome): number => revision + 1
