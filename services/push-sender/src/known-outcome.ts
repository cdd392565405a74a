import type { OutcomeRow } from '@dropbell/database/ledger/read-outcomes'
import type { Device } from '@dropbell/database/read-devices'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { SettledAttempt } from './deliver.ts'
import type { Plan } from './plan-deliveries.ts'

/** A notification of a batch, and what is to become of it if it is new. */
export interface PlannedRecord {
  readonly notification: NotificationEvent & { readonly expiresAt: number }
  readonly plan: Plan
  readonly recipient: Recipient
  readonly devices: readonly Device[]
  readonly traceparent: string
}

type Delivery = OutcomeRow['deliveries'][number]

/**
 * The outcome of a notification that was planned and settled just now, as far as it is to be sent now and all of it at
 * once: what the ledger would say, without asking. Undefined where some of it is still open, or was settled apart.
 */
export const knownOutcome = (
  { notification, plan, traceparent }: PlannedRecord,
  settled: readonly SettledAttempt[],
  now: number,
): OutcomeRow | undefined => {
  const untouched = plan.deliveries.filter(({ kind }) => kind === 'refuse' || kind === 'defer')
  if (untouched.length + settled.length < plan.deliveries.length) return undefined
  const [revision = 1, ...others] = new Set(settled.map((attempt) => attempt.revision))
  // Somebody else has settled some of it meanwhile.
  if (others.length > 0 || revision !== 1) return undefined
  const deliveries: Delivery[] = [
    ...untouched.map(({ channel, targetId, kind, code = null }) => ({
      channel,
      target_id: targetId,
      status: kind === 'refuse' ? ('FAIL' as const) : ('READY' as const),
      code,
      attempt: 0,
      latency_ms: null,
      retryable: false,
      settled: kind === 'refuse' ? now : null,
    })),
    ...settled.map(({ settlement }) => ({
      channel: settlement.channel,
      target_id: settlement.targetId,
      status: settlement.status,
      code: settlement.code,
      attempt: 1,
      latency_ms: settlement.latencyMs,
      retryable: settlement.retryable,
      settled: now,
    })),
  ]
  return {
    notification_id: notification.notificationId,
    user_id: notification.userId,
    notification_type: notification.notificationType,
    product_id: notification.productId,
    event_id: notification.eventId,
    title: notification.title,
    channels: notification.channels as OutcomeRow['channels'],
    event_timestamp: notification.eventTimestamp === null ? null : new Date(notification.eventTimestamp),
    composed_at: new Date(notification.timestamp),
    traceparent,
    refusal: plan.refusal,
    outcome_revision: revision,
    outcome_at: new Date(now),
    deliveries: deliveries.sort(byChannelAndTarget),
  }
}

const byChannelAndTarget = (a: Delivery, b: Delivery): number =>
  compare(a.channel, b.channel) || compare(a.target_id, b.target_id)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
