import type { OutcomeRow } from '@dropbell/database/ledger/read-outcomes'
import type { Settlement } from '@dropbell/database/ledger/settle-deliveries'
import type { Device } from '@dropbell/database/read-devices'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { SettledTogether } from './deliver.ts'
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

/** Of what is new. What was settled as a whole and at once is known without asking, the rest the ledger knows. */
export const outcomesOf = (
  planned: readonly PlannedRecord[],
  settled: readonly SettledTogether[],
  now: number,
): { known: OutcomeRow[]; toRead: string[] } => {
  const unsettled = new Map(planned.map((record) => [record.notification.notificationId, record]))
  const records = new Map(unsettled)
  const known: OutcomeRow[] = []
  const toRead: string[] = []
  for (const { settlements } of settled) {
    for (const [id, together] of byNotification(settlements)) {
      const outcome = knownOutcome(records.get(id) as PlannedRecord, together, now)
      if (outcome) known.push(outcome)
      else toRead.push(id)
      unsettled.delete(id)
    }
  }
  return {
    known: [...known, ...[...unsettled.values()].flatMap((record) => knownOutcome(record, [], now) ?? [])],
    toRead,
  }
}

const byNotification = (settlements: readonly Settlement[]): Map<string, Settlement[]> => {
  const groups = new Map<string, Settlement[]>()
  for (const settlement of settlements) {
    const group = groups.get(settlement.notificationId)
    if (group) group.push(settlement)
    else groups.set(settlement.notificationId, [settlement])
  }
  return groups
}

/**
 * The outcome of a notification that was planned just now, after one statement settled all that is to be sent, or where
 * nothing is: what the ledger would say, without asking. Undefined where some of it is still open, or where others may
 * have changed some of it before the rest was settled: then the same revision could say two things.
 */
const knownOutcome = (
  { notification, plan, traceparent }: PlannedRecord,
  settled: readonly Settlement[],
  now: number,
): OutcomeRow | undefined => {
  const untouched = plan.deliveries.filter(({ kind }) => kind === 'refuse' || kind === 'defer')
  if (untouched.length + settled.length < plan.deliveries.length) return undefined
  if (settled.length > 0 && untouched.some(({ kind }) => kind === 'defer')) return undefined
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
    ...settled.map((settlement) => ({
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
    // Each of them changed once.
    outcome_revision: Math.max(1, deliveries.length),
    outcome_at: new Date(now),
    deliveries: deliveries.sort(byChannelAndTarget),
  }
}

const byChannelAndTarget = (a: Delivery, b: Delivery): number =>
  compare(a.channel, b.channel) || compare(a.target_id, b.target_id)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
