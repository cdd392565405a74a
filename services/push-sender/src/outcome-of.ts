import type { OutcomeRow } from '@dropbell/database/ledger/read-outcomes'
import type { NotificationOutcome, TargetResult } from '@dropbell/schemas/generated/notification-outcome'
import { inProgress, isUnreachable, statusOf } from '@dropbell/schemas/refusal-codes'

type Ending = Pick<NotificationOutcome, 'status' | 'reason'>
type Delivery = OutcomeRow['deliveries'][number]

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
    occurredAt: row.outcome_at.getTime(),
    results: row.deliveries.flatMap(toResult),
    traceparent: row.traceparent,
    eventTimestamp: (row.event_timestamp ?? row.composed_at).getTime(),
  }
}

/**
 * What reaches out decides; the inbox alone makes SENT only where nothing else could be done for this user. So an offer that
 * was withheld in the morning is STALE, although it was in the inbox all night. While something may still be sent it is
 * DEFERRED. Otherwise what was tried says more than what was not.
 */
const endingOf = ({ refusal, deliveries }: OutcomeRow): Ending => {
  if (refusal !== null) return { status: statusOf(refusal), reason: refusal }
  const isSent = ({ status }: Delivery): boolean => status === 'SUCCESS'
  const reachingOut = deliveries.filter(({ channel, code, status }) => {
    return channel !== 'IN_APP' && (status !== 'FAIL' || !isUnreachable(code))
  })
  if (reachingOut.some(isSent)) return { status: 'SENT', reason: null }
  const open = deliveries.find(({ status, retryable }) => status === 'READY' || retryable)
  if (open) return { status: 'DEFERRED', reason: open.code ?? inProgress }
  if (reachingOut.length === 0 && deliveries.some(isSent)) return { status: 'SENT', reason: null }
  const failed = reachingOut.length > 0 ? reachingOut : deliveries
  const told = failed.find(({ attempt }) => attempt > 0) ?? failed.find(({ code }) => !isUnreachable(code)) ?? failed[0]
  const reason = told?.code ?? 'NO_CHANNEL'
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
