import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { DeviceRow } from '../device-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import type { UserInfoRow } from '../user-info-row.ts'

export interface TakeOptions {
  readonly channel: DeliveryRow['channel']
  readonly limit: number
  readonly leaseToken: string
  readonly leaseMs: number
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/** A row that is ours now, with all that is needed to send it. */
export type TakenRow = Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id' | 'attempt' | 'expires_at'> &
  Pick<
    NotificationRow,
    | 'user_id'
    | 'notification_type'
    | 'product_id'
    | 'event_id'
    | 'title'
    | 'body'
    | 'data'
    | 'channels'
    | 'priority'
    | 'composed_at'
    | 'event_timestamp'
    | 'timezone'
  > &
  Pick<UserInfoRow, 'email' | 'phone'> & {
    device: Pick<DeviceRow, 'token' | 'platform' | 'locale' | 'push_consent' | 'status'> | null
    /** False for what was only just left to us. */
    waited: boolean
  }

const taken = `
  SELECT t.notification_id, t.channel, t.target_id, t.attempt, t.expires_at, t.waited, n.user_id, n.notification_type,
    n.product_id, n.event_id, n.title, n.body, n.data, n.channels, n.priority, n.composed_at, n.event_timestamp,
    n.timezone, u.email, u.phone,
    CASE WHEN v.device_id IS NOT NULL THEN json_build_object(
      'token', v.token, 'platform', v.platform, 'locale', v.locale, 'push_consent', v.push_consent, 'status', v.status
    ) END AS device
  FROM taken t
  JOIN notifications n USING (notification_id)
  LEFT JOIN devices v ON t.channel = 'PUSH' AND v.device_id = t.target_id AND v.user_id = n.user_id
  LEFT JOIN user_info u ON t.channel IN ('SMS', 'EMAIL') AND u.user_id = n.user_id
`

/**
 * READY, never attempted, lease over → READY, ours: what was left to whoever looks after the channel, the work of an
 * instance that died, and what was given back.
 */
export const takeOverSql = `
  WITH due AS MATERIALIZED (
    SELECT notification_id, channel, target_id,
      lease_token IS NOT NULL OR code IS NOT NULL OR not_before IS NOT NULL OR attempt > 0 AS waited
    FROM deliveries
    WHERE status = 'READY' AND lease_until <= now() AND attempted_at IS NULL AND channel = $1
    ORDER BY lease_until
    LIMIT $2
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE deliveries d
    SET lease_token = $3, lease_until = now() + $4 * interval '1 ms'
    FROM due
    WHERE (d.notification_id, d.channel, d.target_id) = (due.notification_id, due.channel, due.target_id)
    RETURNING d.*, due.waited
  )
  ${taken}
`

/** READY, its time has come → READY, ours. */
export const takeDeferredSql = `
  WITH due AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE status = 'READY' AND lease_until IS NULL AND not_before <= to_timestamp($5 / 1000.0) AND channel = $1
    ORDER BY not_before
    LIMIT $2
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE deliveries d
    SET lease_token = $3, lease_until = now() + $4 * interval '1 ms'
    FROM due
    WHERE (d.notification_id, d.channel, d.target_id) = (due.notification_id, due.channel, due.target_id)
    RETURNING d.*, true AS waited
  )
  ${taken}
`

/** FAIL, retryable, due → READY, ours. Its attempts so far still count. */
export const takeRetriesSql = `
  WITH due AS MATERIALIZED (
    SELECT notification_id, channel, target_id
    FROM deliveries
    WHERE next_retry_at <= now() AND status = 'FAIL' AND retryable AND channel = $1
    ORDER BY next_retry_at
    LIMIT $2
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE deliveries d
    SET status = 'READY', retryable = false, next_retry_at = NULL, attempted_at = NULL,
        lease_token = $3, lease_until = now() + $4 * interval '1 ms'
    FROM due
    WHERE (d.notification_id, d.channel, d.target_id) = (due.notification_id, due.channel, due.target_id)
    RETURNING d.*, true AS waited
  )
  ${taken}
`

const statements = {
  'take-over': { text: takeOverSql, usesClock: false },
  retry: { text: takeRetriesSql, usesClock: false },
  deferred: { text: takeDeferredSql, usesClock: true },
} as const

export type TakeKind = keyof typeof statements

/** Several instances may ask at once: a row goes to one of them. */
export const takeDueDeliveries = async (
  pool: Pool,
  kind: TakeKind,
  { channel, limit, leaseToken, leaseMs, now }: TakeOptions,
): Promise<TakenRow[]> => {
  const { text, usesClock } = statements[kind]
  const values = [channel, limit, leaseToken, leaseMs, ...(usesClock ? [now] : [])]
  const { rows } = await askPostgres(() => pool.query<TakenRow>(text, values))
  return rows
}
