import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

export interface PruneOptions {
  /** Expired this many days ago at least; 1 or more, so that no replay finds a notification unknown and still valid. */
  readonly keepDays: number
  readonly batchSize: number
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/** SUCCESS or FAIL, long expired, outcome published → (none). Deliveries go with their notification. */
export const pruneSettledSql = `
  WITH unpublished AS MATERIALIZED (
    SELECT unnest(notification_ids) AS notification_id FROM unpublished_outcomes
  ), old AS MATERIALIZED (
    SELECT n.notification_id
    FROM notifications n
    WHERE n.expires_at < to_timestamp($2 / 1000.0) - greatest($3::int, 1) * interval '1 day'
      AND NOT EXISTS (SELECT FROM unpublished u WHERE u.notification_id = n.notification_id)
      AND NOT EXISTS (
        SELECT FROM deliveries d WHERE d.notification_id = n.notification_id AND (d.status = 'READY' OR d.retryable)
      )
    ORDER BY n.expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  ), deliveries_gone AS (
    DELETE FROM deliveries d USING old WHERE d.notification_id = old.notification_id RETURNING 1
  ), notifications_gone AS (
    DELETE FROM notifications n USING old WHERE n.notification_id = old.notification_id RETURNING 1
  )
  SELECT (SELECT count(*) FROM notifications_gone)::int AS notifications,
         (SELECT count(*) FROM deliveries_gone)::int AS deliveries
`

export interface Pruned {
  readonly notifications: number
  readonly deliveries: number
}

/** One small batch, so that nothing waits long for its locks. Fewer notifications than asked for: there are no more. */
export const pruneSettled = async (pool: Pool, { batchSize, now, keepDays }: PruneOptions): Promise<Pruned> => {
  const { rows } = await askPostgres(() => pool.query<Pruned>(pruneSettledSql, [batchSize, now, keepDays]))
  return rows[0] ?? { notifications: 0, deliveries: 0 }
}
