import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import type { NotificationRow } from '../notification-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import type { DeliveryKey } from './delivery-key.ts'
import { keyOf } from './delivery-key.ts'
import { noteOutcomes, type OutcomeNote } from './outcome-notes.ts'

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
  /** The user's. */
  readonly timezone: string
  /** Why no channel is even considered. */
  readonly refusal: string | null
  readonly deliveries: readonly PlannedDelivery[]
}

/** Where a notification goes: now, later, or not at all. */
export type PlannedDelivery = {
  readonly channel: DeliveryRow['channel']
  readonly targetId: string
} & (
  | { readonly kind: 'send' }
  /** The same, and its first attempt begins with the claim: nobody needs to be asked before. */
  | { readonly kind: 'begin' }
  /** Sent by whoever looks after the channel, so that its batch does not wait for it. */
  | { readonly kind: 'leave' }
  /** In milliseconds since the epoch, and why. */
  | { readonly kind: 'defer'; readonly notBefore: number; readonly code: string }
  | { readonly kind: 'refuse'; readonly code: string }
)

export interface ClaimOptions {
  readonly leaseToken: string
  readonly leaseMs: number
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * (none) → READY: held by our lease, perhaps attempted already; anybody's, or waiting for its time; or FAIL where the plan refuses. A notification
 * that is known gets nothing: its plan was made once. Where nothing is to be sent now its outcome is known at once.
 */
export const claimPlansSql = `
  WITH planned AS (
    SELECT * FROM json_to_recordset($1::json) AS n (
      id uuid, "user" text, type text, product text, event text, title text, body text, data jsonb, channels text[],
      priority text, composed bigint, happened bigint, expires bigint, trace text, zone text, refusal text
    )
  ), inserted AS (
    INSERT INTO notifications (
      notification_id, user_id, notification_type, product_id, event_id, title, body, data, channels, priority,
      composed_at, event_timestamp, expires_at, traceparent, timezone, refusal
    )
    SELECT id, "user", type, product, event, title, body, data, channels, priority, to_timestamp(composed / 1000.0),
      to_timestamp(happened / 1000.0), to_timestamp(expires / 1000.0), trace, zone, refusal
    FROM planned
    ON CONFLICT (notification_id) DO NOTHING
    RETURNING notification_id, notification_type, expires_at
  ), claimed AS (
    INSERT INTO deliveries (
      notification_id, channel, target_id, status, code, transactional, expires_at, lease_token, lease_until,
      not_before, settled_at, attempt, attempted_at, revision, revised_at
    )
    SELECT notification_id, channel, target_id, CASE kind WHEN 'refuse' THEN 'FAIL' ELSE 'READY' END, code,
      notification_type = 'TRANSACTIONAL', expires_at,
      CASE WHEN kind IN ('send', 'begin') THEN $8::uuid END,
      CASE WHEN kind IN ('send', 'begin') THEN now() + $9 * interval '1 ms' WHEN kind = 'leave' THEN now() END,
      to_timestamp(not_before / 1000.0), CASE kind WHEN 'refuse' THEN to_timestamp($10 / 1000.0) END,
      (kind = 'begin')::int, CASE kind WHEN 'begin' THEN now() END,
      (kind IN ('refuse', 'defer'))::int, CASE WHEN kind IN ('refuse', 'defer') THEN now() END
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
      AS d (notification_id, channel, target_id, kind, code, not_before)
    JOIN inserted USING (notification_id)
    RETURNING notification_id, channel, target_id, lease_token, attempt
  ), noted AS (
    ${noteOutcomes('(SELECT notification_id FROM inserted WHERE notification_id = ANY ($11::uuid[])) decided')}
  )
  SELECT notification_id, channel, target_id, lease_token IS NOT NULL AS held, attempt > 0 AS begun, note_id
  FROM inserted LEFT JOIN claimed USING (notification_id) LEFT JOIN noted ON true
`

export interface ClaimedDelivery extends DeliveryKey {
  /** Its attempt began with its claim. */
  readonly begun: boolean
}

export interface Claimed {
  /** Notifications that were new: their plan counts. */
  readonly notificationIds: ReadonlySet<string>
  /** What is to be sent, held by the lease. */
  readonly deliveries: readonly ClaimedDelivery[]
  /** Where there are outcomes already. */
  readonly note: OutcomeNote | undefined
}

type Row = Pick<DeliveryRow, 'notification_id'> & { [K in 'channel' | 'target_id']: DeliveryRow[K] | null } & {
  held: boolean
  begun: boolean
  note_id: OutcomeNote | null
}

/** Freezes the plans of a batch, in one statement and hence one transaction. No notification may be in it twice. */
export const claimPlans = async (
  pool: Pool,
  plans: readonly PlannedNotification[],
  { leaseToken, leaseMs, now }: ClaimOptions,
): Promise<Claimed> => {
  if (plans.length === 0) return { notificationIds: new Set(), deliveries: [], note: undefined }
  const deliveries = plans.flatMap(({ notificationId, deliveries }) =>
    deliveries.map((delivery) => ({ ...delivery, notificationId })),
  )
  const values = [
    JSON.stringify(plans.map(toJson)),
    deliveries.map(({ notificationId }) => notificationId),
    deliveries.map(({ channel }) => channel),
    deliveries.map(({ targetId }) => targetId),
    deliveries.map(({ kind }) => kind),
    deliveries.map((delivery) => ('code' in delivery ? delivery.code : null)),
    deliveries.map((delivery) => (delivery.kind === 'defer' ? delivery.notBefore : null)),
    leaseToken,
    leaseMs,
    now,
    plans.filter(isDecided).map(({ notificationId }) => notificationId),
  ]
  const { rows } = await askPostgres(() => pool.query<Row>(claimPlansSql, values))
  return {
    notificationIds: new Set(rows.map((row) => row.notification_id)),
    deliveries: rows.flatMap((row) =>
      row.held
        ? [{ ...keyOf(row as Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id'>), begun: row.begun }]
        : [],
    ),
    note: rows[0]?.note_id ?? undefined,
  }
}

/** Nothing is to be sent now: its outcome is known at once. */
const isDecided = ({ deliveries }: PlannedNotification): boolean =>
  deliveries.every(({ kind }) => kind === 'refuse' || kind === 'defer')

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
  zone: plan.timezone,
  refusal: plan.refusal,
})
