import type { OutcomeRow } from '@dropbell/database/ledger/read-outcomes'
import type { NotificationOutcome, OutcomeStatus, TargetResult } from '@dropbell/schemas/generated/notification-outcome'
import type { RefusalCode } from './plan-deliveries.ts'

type Ending = Pick<NotificationOutcome, 'status' | 'reason'>
type Delivery = OutcomeRow['deliveries'][number]

const refusalStatuses: Readonly<Record<RefusalCode, OutcomeStatus>> = {
  EXPIRED: 'EXPIRED',
  OPTED_OUT: 'USER_OPTED_OUT',
  CHANNEL_OPTED_OUT: 'USER_OPTED_OUT',
  NO_CONSENT: 'USER_OPTED_OUT',
  CHANNEL_NOT_SERVED: 'FAILED',
  NO_DEVICE: 'FAILED',
  DEVICE_INVALID: 'FAILED',
}

const statusOf = (code: string): OutcomeStatus =>
  (refusalStatuses as Readonly<Record<string, OutcomeStatus>>)[code] ?? 'FAILED'

/** How a notification ended so far, from the state of its deliveries. */
export const outcomeOf = (row: OutcomeRow): NotificationOutcome => {
  const { status, reason } = endingOf(row)
  return {
    status,
    reason,
    eventId: row.event_id,
    notificationId: row.notification_id,
    userId: row.user_id,
    productId: row.product_id,
    type: row.notification_type,
    title: row.title,
    channels: row.channels,
    blockingEventId: null,
    dayCount: null,
    revision: row.outcome_revision,
    occurredAt: row.outcome_at?.getTime() ?? row.composed_at.getTime(),
    results: row.deliveries.flatMap(toResult),
    traceparent: row.traceparent,
  }
}

/**
 * One device that got it is enough for SENT. While something may still be sent it is DEFERRED. Otherwise what was tried
 * says more than what was not.
 */
const endingOf = ({ refusal, deliveries }: OutcomeRow): Ending => {
  if (refusal !== null) return { status: statusOf(refusal), reason: refusal }
  if (deliveries.some(({ status }) => status === 'SUCCESS')) return { status: 'SENT', reason: null }
  const open = deliveries.find(({ status, retryable }) => status === 'READY' || retryable)
  if (open) return { status: 'DEFERRED', reason: open.code }
  const told = deliveries.find(({ attempt }) => attempt > 0) ?? deliveries[0]
  const reason = told?.code ?? 'NO_DEVICE'
  return { status: statusOf(reason), reason }
}

/** Devices that were refused are there too, with attempt 0: the outcome explains every one of them. */
const toResult = (delivery: Delivery): TargetResult[] => {
  if (delivery.target_id === '' || delivery.status === 'READY' || delivery.settled === null) return []
  return [
    {
      channel: delivery.channel,
      target: delivery.target_id,
      attempt: delivery.attempt,
      code: delivery.status === 'SUCCESS' ? null : delivery.code,
      latencyMs: delivery.latency_ms,
      at: delivery.settled,
    },
  ]
}
