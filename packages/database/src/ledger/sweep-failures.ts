import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

/**
 * FAIL, retryable, quick retries spent → due now, while it may still be sent. Only what failed before the time of the sweep:
 * several instances sweep at about the same time, and what one of them has tried in vain waits for the next sweep.
 */
export const sweepFailuresSql = `
  WITH spent AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE retryable AND next_retry_at IS NULL AND expires_at > to_timestamp($2 / 1000.0)
      AND settled_at < to_timestamp($3 / 1000.0)
    ORDER BY expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d
  SET next_retry_at = now()
  FROM spent s
  WHERE (d.notification_id, d.channel, d.target_id) = (s.notification_id, s.channel, s.target_id)
`

export interface SweepOptions {
  readonly limit: number
  /** Business times, in milliseconds since the epoch. */
  readonly now: number
  readonly failedBefore: number
}

export const sweepFailures = async (pool: Pool, { limit, now, failedBefore }: SweepOptions): Promise<number> => {
  const { rowCount } = await askPostgres(() => pool.query(sweepFailuresSql, [limit, now, failedBefore]))
  return rowCount ?? 0
}
