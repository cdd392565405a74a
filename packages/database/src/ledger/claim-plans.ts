import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import type { DeliveryKey } from './delivery-key.ts'
import { keyOf } from './delivery-key.ts'

/** A notification as it enters the ledger. */
export interface PlannedNotification {
  readonly notificationId: string
  readonly userId: string
  readonly type: NotificationRow['notification_type']
  readonly productId: string
  readonly eventId: string | null
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, string>>
  readonly channels: readonly NotificationRow['channels'][number][]
  readonly priority: NotificationRow['priority']
  readonly composedAt: number
  readonly eventTimestamp: number | null
  readonly expiresAt: number
  readonly traceparent: string
  /** Why no channel is even considered. */
  readonly refusal: string | null
  readonly deliveries: readonly PlannedDelivery[]
}

export interface PlannedDelivery {
  readonly channel: DeliveryRow['channel']
  readonly targetId: string
  /** Why nothing is sent there; null: it is to be sent. */
  readonly refusal: string | null
}

export interface ClaimOptions {
  readonly leaseToken: string
  readonly leaseMs: number
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * (none) → READY, held by our lease, or FAIL where the plan refuses. A notification that is known gets nothing: its
 * plan was made once. What is refused as a whole has its outcome at once.
 */
export const claimPlansSql = `
  WITH planned AS (
    SELECT * FROM json_to_recordset($1::json) AS n (
      id uuid, "user" text, type text, product text, event text, title text, body text, data jsonb, channels text[],
      priority text, composed bigint, happened bigint, expires bigint, trace text, refusal text, decided boolean
    )
  ), inserted AS (
    INSERT INTO notifications (
      notification_id, user_id, notification_type, product_id, event_id, title, body, data, channels, priority,
      composed_at, event_timestamp, expires_at, traceparent, refusal, outcome_revision, outcome_at
    )
    SELECT id, "user", type, product, event, title, body, data, channels, priority, to_timestamp(composed / 1000.0),
      to_timestamp(happened / 1000.0), to_timestamp(expires / 1000.0), trace, refusal, decided::int,
      CASE WHEN decided THEN now() END
    FROM planned
    ON CONFLICT (notification_id) DO NOTHING
    RETURNING notification_id, notification_type, expires_at
  ), claimed AS (
    INSERT INTO deliveries (
      notification_id, channel, target_id, status, code, transactional, expires_at, lease_token, lease_until, settled_at
    )
    SELECT notification_id, channel, target_id, CASE WHEN refusal IS NULL THEN 'READY' ELSE 'FAIL' END, refusal,
      notification_type = 'TRANSACTIONAL', expires_at, CASE WHEN refusal IS NULL THEN $6::uuid END,
      CASE WHEN refusal IS NULL THEN now() + $7 * interval '1 ms' END,
      CASE WHEN refusal IS NOT NULL THEN to_timestamp($8 / 1000.0) END
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS d (notification_id, channel, target_id, refusal)
    JOIN inserted USING (notification_id)
    RETURNING notification_id, channel, target_id, status
  )
  SELECT notification_id, channel, target_id, status FROM inserted LEFT JOIN claimed USING (notification_id)
`

export interface Claimed {
  /** Notifications that were new: their plan counts. */
  readonly notificationIds: ReadonlySet<string>
  /** What is to be sent, held by the lease. */
  readonly deliveries: readonly DeliveryKey[]
}

type Row = Pick<DeliveryRow, 'notification_id'> & {
  [K in 'channel' | 'target_id' | 'status']: DeliveryRow[K] | null
}

/** Freezes the plans of a batch, in one statement and hence one transaction. No notification may be in it twice. */
export const claimPlans = async (
  pool: Pool,
  plans: readonly PlannedNotification[],
  { leaseToken, leaseMs, now }: ClaimOptions,
): Promise<Claimed> => {
  if (plans.length === 0) return { notificationIds: new Set(), deliveries: [] }
  const deliveries = plans.flatMap(({ notificationId, deliveries }) =>
    deliveries.map((delivery) => ({ ...delivery, notificationId })),
  )
  const values = [
    JSON.stringify(plans.map(toJson)),
    deliveries.map(({ notificationId }) => notificationId),
    deliveries.map(({ channel }) => channel),
    deliveries.map(({ targetId }) => targetId),
    deliveries.map(({ refusal }) => refusal),
    leaseToken,
    leaseMs,
    now,
  ]
  const { rows } = await askPostgres(() => pool.query<Row>({ name: 'claim-plans', text: claimPlansSql, values }))
  return {
    notificationIds: new Set(rows.map((row) => row.notification_id)),
    deliveries: rows.flatMap((row) => (row.status === 'READY' ? [keyOf(row as DeliveryRow)] : [])),
  }
}

const toJson = (plan: PlannedNotification): object => ({
  id: plan.notificationId,
  user: plan.userId,
  type: plan.type,
  product: plan.productId,
  event: plan.eventId,
  title: plan.title,
  body: plan.body,
  data: plan.data,
  channels: plan.channels,
  priority: plan.priority,
  composed: plan.composedAt,
  happened: plan.eventTimestamp,
  expires: plan.expiresAt,
  trace: plan.traceparent,
  refusal: plan.refusal,
  decided: plan.deliveries.every(({ refusal }) => refusal !== null),
})
