import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'

/** A notification whose outcome is news, with the state of all its deliveries. */
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
  | 'outcome_revision'
  | 'outcome_at'
> & {
  deliveries: (Pick<
    DeliveryRow,
    'channel' | 'target_id' | 'status' | 'code' | 'attempt' | 'latency_ms' | 'retryable'
  > & {
    /** Milliseconds since the epoch. */
    settled: number | null
  })[]
}

const select = `
  SELECT n.notification_id, n.user_id, n.notification_type, n.product_id, n.event_id, n.title, n.channels,
    n.event_timestamp, n.composed_at, n.traceparent, n.refusal, n.outcome_revision, n.outcome_at,
    coalesce((
      SELECT json_agg(json_build_object(
        'channel', d.channel, 'target_id', d.target_id, 'status', d.status, 'code', d.code, 'attempt', d.attempt,
        'latency_ms', d.latency_ms, 'retryable', d.retryable,
        'settled', round(extract(epoch FROM d.settled_at) * 1000)
      ) ORDER BY d.channel, d.target_id)
      FROM deliveries d WHERE d.notification_id = n.notification_id
    ), '[]') AS deliveries
  FROM notifications n
`

/** Of these notifications: the outcomes that were not published yet. */
export const readOutcomesSql = `
  ${select}
  WHERE n.notification_id = ANY ($1::uuid[]) AND n.published_revision < n.outcome_revision
`

/** Of all: those whose publisher should have been done by now. */
export const readUnpublishedSql = `
  ${select}
  WHERE n.published_revision < n.outcome_revision AND n.outcome_at <= now() - $2 * interval '1 ms'
  ORDER BY n.outcome_at
  LIMIT $1
`

export const readOutcomes = async (pool: Pool, notificationIds: readonly string[]): Promise<OutcomeRow[]> => {
  if (notificationIds.length === 0) return []
  const { rows } = await askPostgres(() =>
    pool.query<OutcomeRow>({ name: 'read-outcomes', text: readOutcomesSql, values: [notificationIds] }),
  )
  return rows
}

export const readUnpublishedOutcomes = async (
  pool: Pool,
  { limit, olderThanMs }: { limit: number; olderThanMs: number },
): Promise<OutcomeRow[]> => {
  const { rows } = await askPostgres(() =>
    pool.query<OutcomeRow>({ name: 'read-unpublished', text: readUnpublishedSql, values: [limit, olderThanMs] }),
  )
  return rows
}
