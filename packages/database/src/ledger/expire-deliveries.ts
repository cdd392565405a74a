import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { noteOutcomes, reviseDelivery } from './outcome-notes.ts'

export const expired = 'EXPIRED'

/** FAIL, retryable → FAIL/EXPIRED, final, once it may not be sent any more. */
export const expireDeliveriesSql = `
  WITH late AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE retryable AND expires_at <= to_timestamp($2 / 1000.0)
    ORDER BY expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  ), settled AS (
    UPDATE deliveries d
    SET code = '${expired}', retryable = false, next_retry_at = NULL, settled_at = to_timestamp($2 / 1000.0),
        ${reviseDelivery}
    FROM late l
    WHERE (d.notification_id, d.channel, d.target_id) = (l.notification_id, l.channel, l.target_id)
    RETURNING d.notification_id
  ), noted AS (
    ${noteOutcomes('settled')}
  )
  SELECT count(*)::int AS settled FROM settled
`

export const expireDeliveries = async (pool: Pool, { limit, now }: { limit: number; now: number }): Promise<number> => {
  const { rows } = await askPostgres(() => pool.query<{ settled: number }>(expireDeliveriesSql, [limit, now]))
  return rows[0]?.settled ?? 0
}
