import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

/** FAIL, retryable, quick retries spent → due now, while it may still be sent. */
export const sweepFailuresSql = `
  WITH spent AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE retryable AND next_retry_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
    ORDER BY expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d
  SET next_retry_at = now()
  FROM spent s
  WHERE (d.notification_id, d.channel, d.target_id) = (s.notification_id, s.channel, s.target_id)
`

export const sweepFailures = async (pool: Pool, { limit, now }: { limit: number; now: number }): Promise<number> => {
  const { rowCount } = await askPostgres(() =>
    pool.query({ name: 'sweep-failures', text: sweepFailuresSql, values: [limit, now] }),
  )
  return rowCount ?? 0
}
