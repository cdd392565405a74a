import type { NotificationOutcome, OutcomeStatus } from '@dropbell/schemas/generated/notification-outcome'
import type { Admission } from './admit.ts'
import { channelsOf } from './compose-notification.ts'
import type { Refusal, RefusalReason } from './decision.ts'
import type { Trigger } from './trigger.ts'

/** What is already known has, or will have, an outcome of its own: there is nothing to add to it. */
type RecordedReason = Exclude<RefusalReason, 'already-known'>

export interface RecordedRefusal extends Refusal {
  readonly reason: RecordedReason
}

const endings: Readonly<Record<RecordedReason, { status: OutcomeStatus; reason: string }>> = {
  duplicate: { status: 'RATE_LIMITED', reason: 'DUPLICATE' },
  'daily-limit': { status: 'RATE_LIMITED', reason: 'DAILY_LIMIT' },
  'opted-out': { status: 'USER_OPTED_OUT', reason: 'OPTED_OUT' },
  expired: { status: 'EXPIRED', reason: 'EXPIRED' },
}

// A sender's outcomes count from 1, so that no refusal of a replay replaces what was really sent.
const refusalRevision = 0

export interface RefusalContext {
  readonly trigger: Trigger
  /** Null where it was refused before anybody knew in which language. */
  readonly title: string | null
  readonly now: number
  readonly traceparent: string
}

export const refusalOutcome = (
  { notificationId, userId }: Admission,
  refusal: RecordedRefusal,
  { trigger, title, now, traceparent }: RefusalContext,
): NotificationOutcome => ({
  ...endings[refusal.reason],
  eventId: trigger.eventId,
  notificationId,
  userId,
  productId: trigger.productId,
  type: trigger.type,
  title,
  channels: channelsOf[trigger.type],
  blockingEventId: refusal.blockingEventId ?? null,
  dayCount: refusal.dayCount ?? null,
  revision: refusalRevision,
  occurredAt: now,
  results: [],
  traceparent,
})
