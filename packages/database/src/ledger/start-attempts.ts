import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import { type DeliveryKey, inKeyOrder, keyColumns, keyOf } from './delivery-key.ts'

export interface AttemptOptions {
  /** Of the lease that holds the rows. */
  readonly leaseToken: string
  /** Of the attempt. */
  readonly attemptToken: string
  readonly leaseMs: number
  /** How much of the lease the attempt needs; one of which less is left begins anew. */
  readonly neededMs: number
}

export interface StartedAttempt extends DeliveryKey {
  readonly attempt: number
  /** How long it is ours, from when it was asked for. */
  readonly leaseMs: number
}

/**
 * READY → READY, attempted: the compare-and-set before every send. A lease of which too little is left begins anew. Rows
 * whose lease went to somebody else are not returned. Asking again with the same tokens, when the answer was lost, returns the same rows and counts nothing twice.
 */
export const startAttemptsSql = `
  UPDATE deliveries d
  SET attempt = d.attempt + (d.attempted_at IS NULL)::int,
      attempted_at = coalesce(d.attempted_at, now()),
      lease_until = CASE
        WHEN d.attempted_at IS NULL AND d.lease_until < now() + $7 * interval '1 ms' THEN now() + $6 * interval '1 ms'
        ELSE d.lease_until
      END,
      lease_token = $5
  FROM unnest($1::uuid[], $2::text[], $3::text[]) AS k (notification_id, channel, target_id)
  WHERE d.notification_id = k.notification_id AND d.channel = k.channel AND d.target_id = k.target_id
    AND d.status = 'READY'
    AND (d.lease_token = $4 AND d.attempted_at IS NULL OR d.lease_token = $5)
  RETURNING d.notification_id, d.channel, d.target_id, d.attempt,
    (extract(epoch FROM d.lease_until - now()) * 1000)::int AS lease_ms
`

type Row = Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id' | 'attempt'> & { lease_ms: number }

/** Only what is returned may be sent, and only until the lease ends, counted from before the call. */
export const startAttempts = async (
  pool: Pool,
  keys: readonly DeliveryKey[],
  { leaseToken, attemptToken, leaseMs, neededMs }: AttemptOptions,
): Promise<StartedAttempt[]> => {
  if (keys.length === 0) return []
  const values = [...keyColumns(inKeyOrder(keys)), leaseToken, attemptToken, leaseMs, neededMs]
  const { rows } = await askPostgres(() => pool.query<Row>(startAttemptsSql, values))
  return rows.map((row) => ({ ...keyOf(row), attempt: row.attempt, leaseMs: row.lease_ms }))
}
