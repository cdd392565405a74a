import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'

/** All that the ledger knows of a notification, for somebody who asks what became of it. Times are milliseconds. */
export interface LedgerEntry {
  readonly notificationId: string
  readonly userId: string
  readonly type: NotificationRow['notification_type']
  readonly productId: string
  readonly eventId: string | null
  readonly title: string
  readonly plannedAt: number
  readonly composedAt: number
  readonly eventTimestamp: number | null
  readonly expiresAt: number
  readonly refusal: string | null
  readonly deliveries: readonly LedgerDelivery[]
}

export interface LedgerDelivery {
  readonly channel: DeliveryRow['channel']
  readonly targetId: string
  readonly status: DeliveryRow['status']
  readonly code: string | null
  readonly attempt: number
  readonly attemptedAt: number | null
  readonly notBefore: number | null
  readonly retryable: boolean
  readonly nextRetryAt: number | null
  readonly latencyMs: number | null
  readonly settledAt: number | null
  /** Of a push whose device can no longer be reached: since when, and why. */
  readonly invalidDevice: { readonly reason: string; readonly at: number } | null
}

const ms = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`

// Nothing here may show a token, a phone number or an address.
const select = `
  SELECT n.notification_id AS "notificationId", n.user_id AS "userId", n.notification_type AS type,
    n.product_id AS "productId", n.event_id AS "eventId", n.title, ${ms('n.created_at')} AS "plannedAt",
    ${ms('n.composed_at')} AS "composedAt", ${ms('n.event_timestamp')} AS "eventTimestamp",
    ${ms('n.expires_at')} AS "expiresAt", n.refusal,
    coalesce((
      SELECT json_agg(json_build_object(
        'channel', d.channel, 'targetId', d.target_id, 'status', d.status, 'code', d.code, 'attempt', d.attempt,
        'attemptedAt', ${ms('d.attempted_at')}, 'notBefore', ${ms('d.not_before')}, 'retryable', d.retryable,
        'nextRetryAt', ${ms('d.next_retry_at')}, 'latencyMs', d.latency_ms, 'settledAt', ${ms('d.settled_at')},
        'invalidDevice', CASE WHEN v.status = 'INVALID' THEN
          json_build_object('reason', v.invalid_reason, 'at', ${ms('v.updated_at')}) END
      ) ORDER BY d.channel, d.target_id)
      FROM deliveries d
      LEFT JOIN devices v ON d.channel = 'PUSH' AND v.device_id = d.target_id AND v.user_id = n.user_id
      WHERE d.notification_id = n.notification_id
    ), '[]') AS deliveries
  FROM notifications n
`

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** What is no UUID cannot be there. */
export const readEntriesById = async (pool: Pool, notificationIds: readonly string[]): Promise<LedgerEntry[]> => {
  const askable = notificationIds.filter((id) => uuid.test(id))
  if (askable.length === 0) return []
  return ask(pool, `${select} WHERE n.notification_id = ANY ($1::uuid[])`, [askable])
}

export interface UserEntriesQuery {
  readonly userId: string
  readonly productId?: string | undefined
  /** Only what was planned at or after this moment, in milliseconds since the epoch. */
  readonly since: number
  readonly limit: number
}

/** The newest first. */
export const readEntriesOfUser = (pool: Pool, query: UserEntriesQuery): Promise<LedgerEntry[]> => {
  const { userId, productId = null, since, limit } = query
  if (`${userId}${productId ?? ''}`.includes('\0')) return Promise.resolve([])
  const where = `
    WHERE n.user_id = $1 AND ($2::text IS NULL OR n.product_id = $2) AND n.created_at >= to_timestamp($3::float8 / 1000)
    ORDER BY n.created_at DESC, n.notification_id LIMIT $4
  `
  return ask(pool, `${select} ${where}`, [userId, productId, since, limit])
}

/** Looks through the whole table, for which it has the time of one statement: only where nobody else knows the ids. */
export const readEntriesOfEvent = (pool: Pool, eventId: string, limit: number): Promise<LedgerEntry[]> => {
  if (eventId.includes('\0')) return Promise.resolve([])
  return ask(pool, `${select} WHERE n.event_id = $1 LIMIT $2`, [eventId, limit])
}

const ask = async (pool: Pool, text: string, values: unknown[]): Promise<LedgerEntry[]> => {
  const { rows } = await askPostgres(() => pool.query<LedgerEntry>({ text, values }))
  return rows
}
