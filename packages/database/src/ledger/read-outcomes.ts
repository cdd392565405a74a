import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'

/** How a notification stands, with the state of all its deliveries. */
export type OutcomeRow = Pick<
  NotificationRow,
  | 'notification_id'
  | 'user_id'
  | 'notification_type'
  | 'product_id'
  | 'event_id'
  | 'title'
  | 'channels'
  | 'event_timestamp'
  | 'composed_at'
  | 'traceparent'
  | 'refusal'
> & {
  /** Counts the changes of its deliveries; 1 where it was refused as a whole and has none. */
  outcome_revision: number
  outcome_at: Date
  deliveries: (Pick<
    DeliveryRow,
    'channel' | 'target_id' | 'status' | 'code' | 'attempt' | 'latency_ms' | 'retryable'
  > & {
    /** Milliseconds since the epoch. */
    settled: number | null
  })[]
}

/**
 * Revision and state in one snapshot. What has not changed yet has nothing to tell, whoever asks: the first change is
 * what makes its first revision.
 */
export const readOutcomesSql = `
  SELECT n.notification_id, n.user_id, n.notification_type, n.product_id, n.event_id, n.title, n.channels,
    n.event_timestamp, n.composed_at, n.traceparent, n.refusal, o.outcome_revision,
    coalesce(o.revised_at, n.created_at) AS outcome_at, coalesce(o.deliveries, '[]') AS deliveries
  FROM notifications n CROSS JOIN LATERAL (
    SELECT coalesce(sum(d.revision), 1)::int AS outcome_revision, max(d.revised_at) AS revised_at,
      json_agg(json_build_object(
        'channel', d.channel, 'target_id', d.target_id, 'status', d.status, 'code', d.code, 'attempt', d.attempt,
        'latency_ms', d.latency_ms, 'retryable', d.retryable,
        'settled', round(extract(epoch FROM d.settled_at) * 1000)
      ) ORDER BY d.channel, d.target_id) AS deliveries
    FROM deliveries d WHERE d.notification_id = n.notification_id
  ) o
  WHERE n.notification_id = ANY ($1::uuid[]) AND o.outcome_revision > 0
`

/** Of those of these notifications that have an outcome. */
export const readOutcomes = async (pool: Pool, notificationIds: readonly string[]): Promise<OutcomeRow[]> => {
  if (notificationIds.length === 0) return []
  const { rows } = await askPostgres(() => pool.query<OutcomeRow>(readOutcomesSql, [notificationIds]))
  return rows
}
