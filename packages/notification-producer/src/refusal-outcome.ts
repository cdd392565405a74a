import type { NotificationOutcome, OutcomeStatus } from '@dropbell/schemas/generated/notification-outcome'
import type { Admission } from './admit.ts'
import { channelsOf } from './compose-notification.ts'
import type { Refusal, RefusalReason } from './decision.ts'
import { notificationIdOf } from './notification-id.ts'
import type { Occasion } from './trigger.ts'

/** What is already known has, or will have, an outcome of its own: there is nothing to add to it. */
type RecordedReason = Exclude<RefusalReason, 'already-known'>

export interface RecordedRefusal extends Refusal {
  readonly reason: RecordedReason
}

/** The refusal as the history is told of it; undefined where it is not. */
export const recordedRefusal = ({ decision }: Admission): RecordedRefusal | undefined =>
  decision.kind === 'refused' && decision.reason !== 'already-known'
    ? { ...decision, reason: decision.reason }
    : undefined

const endings: Readonly<Record<RecordedReason, { status: OutcomeStatus; reason: string }>> = {
  duplicate: { status: 'RATE_LIMITED', reason: 'DUPLICATE' },
  'daily-limit': { status: 'RATE_LIMITED', reason: 'DAILY_LIMIT' },
  'opted-out': { status: 'USER_OPTED_OUT', reason: 'OPTED_OUT' },
  expired: { status: 'EXPIRED', reason: 'EXPIRED' },
}

/** Why a fan-out was stopped: the offer is no longer what it was, or it is too late to speak of it. */
export const stopReasons = ['price-rose', 'sold-out', 'expired'] as const

export type StopReason = (typeof stopReasons)[number]

const stops: Readonly<Record<StopReason, { status: OutcomeStatus; reason: string }>> = {
  'price-rose': { status: 'STALE', reason: 'PRICE_ROSE' },
  'sold-out': { status: 'STALE', reason: 'SOLD_OUT' },
  expired: { status: 'EXPIRED', reason: 'EXPIRED' },
}

// A sender's outcomes count from 1, so that no refusal of a replay replaces what was really sent.
const refusalRevision = 0

export interface RefusalContext {
  readonly trigger: Occasion
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
  ...refusalOf({ trigger, title, now, traceparent }),
  ...endings[refusal.reason],
  notificationId,
  userId,
  blockingEventId: refusal.blockingEventId ?? null,
  dayCount: refusal.dayCount ?? null,
})

/** One for everybody who was not told yet, of whom there may be a million. */
export const stoppedOutcome = (
  stopReason: StopReason,
  context: Omit<RefusalContext, 'title'>,
): NotificationOutcome => ({
  ...refusalOf({ ...context, title: null }),
  ...stops[stopReason],
  notificationId: notificationIdOf({ ...context.trigger, userId: null }),
  userId: null,
  blockingEventId: null,
  dayCount: null,
})

const refusalOf = ({ trigger, title, now, traceparent }: RefusalContext) => ({
  eventId: trigger.eventId,
  productId: trigger.productId,
  type: trigger.type,
  title,
  channels: channelsOf[trigger.type],
  revision: refusalRevision,
  occurredAt: now,
  results: [],
  traceparent,
  eventTimestamp: trigger.eventTimestamp,
})
