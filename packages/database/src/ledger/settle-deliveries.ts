import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import { type DeliveryKey, inKeyOrder, keyColumns, keyOf, wholeWaitMs } from './delivery-key.ts'
import { noteOutcomes, type OutcomeNote, reviseDelivery } from './outcome-notes.ts'

/** How an attempt ended, or why none was made. */
export interface Settlement extends DeliveryKey {
  readonly status: 'SUCCESS' | 'FAIL'
  readonly code: string | null
  readonly retryable: boolean
  /** Of a retryable one: when to try again; null leaves it to the sweep. */
  readonly retryInMs: number | null
  readonly latencyMs: number | null
  readonly providerId: string | null
  /** The token that turned out to be dead. A device that has another by now is left alone. */
  readonly deadToken: string | null
}

export interface SettleOptions {
  /** Of the lease or attempt that holds the rows; of both where some were begun with their claim. */
  readonly token: string | readonly string[]
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/**
 * READY → SUCCESS or FAIL, for whoever holds the row; the outcomes are noted, to be published; dead tokens make their
 * device INVALID. All of it at once.
 */
export const settleDeliveriesSql = `
  WITH settled AS (
    UPDATE deliveries d
    SET status = s.status, code = s.code, retryable = s.retryable,
        next_retry_at = now() + s.retry_in_ms * interval '1 ms',
        latency_ms = s.latency_ms, provider_id = s.provider_id, settled_at = to_timestamp($12 / 1000.0),
        lease_token = NULL, lease_until = NULL,
        ${reviseDelivery}
    FROM unnest(
      $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::int[], $8::int[], $9::text[],
      $10::text[]
    ) AS s (
      notification_id, channel, target_id, status, code, retryable, retry_in_ms, latency_ms, provider_id, dead_token
    )
    WHERE d.notification_id = s.notification_id AND d.channel = s.channel AND d.target_id = s.target_id
      AND d.status = 'READY' AND d.lease_token = ANY ($11::uuid[])
    RETURNING d.notification_id, d.channel, d.target_id, d.code, s.dead_token
  ), noted AS (
    ${noteOutcomes('settled')}
  ), dead AS (
    UPDATE devices v
    SET status = 'INVALID', invalid_reason = s.code, updated_at = now()
    FROM settled s
    WHERE s.dead_token IS NOT NULL AND v.device_id = s.target_id AND v.token = s.dead_token AND v.status = 'ACTIVE'
  )
  SELECT notification_id, channel, target_id, note_id FROM settled CROSS JOIN noted
`

type Row = Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id'> & { note_id: OutcomeNote }

export interface Settled {
  readonly deliveries: readonly DeliveryKey[]
  readonly note: OutcomeNote | undefined
}

/** Returns what was ours to settle. The rest was taken over meanwhile. */
export const settleDeliveries = async (
  pool: Pool,
  settlements: readonly Settlement[],
  { token, now }: SettleOptions,
): Promise<Settled> => {
  if (settlements.length === 0) return { deliveries: [], note: undefined }
  const sorted = inKeyOrder(settlements)
  const values = [
    ...keyColumns(sorted),
    sorted.map(({ status }) => status),
    sorted.map(({ code }) => code),
    sorted.map(({ retryable }) => retryable),
    sorted.map(({ retryInMs }) => (retryInMs === null ? null : wholeWaitMs(retryInMs))),
    sorted.map(({ latencyMs }) => latencyMs),
    sorted.map(({ providerId }) => providerId),
    sorted.map(({ deadToken }) => deadToken),
    [token].flat(),
    now,
  ]
  const { rows } = await askPostgres(() => pool.query<Row>(settleDeliveriesSql, values))
  return { deliveries: rows.map(keyOf), note: rows[0]?.note_id }
}
