import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import { noteOutcomes, reviseDelivery } from './outcome-notes.ts'

/** Attempted, and nobody knows what became of it. */
export const unknownOutcome = 'UNKNOWN_OUTCOME'

/**
 * READY, attempted, lease over → FAIL/UNKNOWN_OUTCOME. Whoever attempted it is dead or asleep, and cannot settle it any
 * more. Final, unless it is transactional: then it is due at once, or, of PUSH,
 * left to the sweep once its quick retries are spent.
 */
export const settleAbandonedSql = `
  WITH abandoned AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE channel = $4 AND status = 'READY' AND lease_until <= now() AND attempted_at IS NOT NULL
    ORDER BY lease_until
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  ), settled AS (
    UPDATE deliveries d
    SET status = 'FAIL', code = '${unknownOutcome}', retryable = d.transactional AND (d.channel = 'PUSH' OR d.attempt <= $3),
        next_retry_at = CASE WHEN d.transactional AND d.attempt <= $3 THEN now() END,
        settled_at = to_timestamp($2 / 1000.0), lease_token = NULL, lease_until = NULL,
        ${reviseDelivery}
    FROM abandoned a
    WHERE (d.notification_id, d.channel, d.target_id) = (a.notification_id, a.channel, a.target_id)
    RETURNING d.notification_id
  ), noted AS (
    ${noteOutcomes('settled')}
  )
  SELECT count(*)::int AS settled FROM settled
`

export interface AbandonedOptions {
  readonly channel: DeliveryRow['channel']
  readonly limit: number
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
  /** How many attempts after the first come quickly. */
  readonly quickRetries: number
}

export const settleAbandoned = async (
  pool: Pool,
  { channel, limit, now, quickRetries }: AbandonedOptions,
): Promise<number> => {
  const { rows } = await askPostgres(() =>
    pool.query<{ settled: number }>(settleAbandonedSql, [limit, now, quickRetries, channel]),
  )
  return rows[0]?.settled ?? 0
}
