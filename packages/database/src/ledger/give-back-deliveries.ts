import type { Pool } from 'pg'
import type { DeliveryRow } from '../delivery-row.ts'
import { askPostgres } from '../postgres-failure.ts'
import { type DeliveryKey, inKeyOrder, keyColumns, keyOf, wholeWaitMs } from './delivery-key.ts'

export interface GivenBack extends DeliveryKey {
  /** Why the provider could not take it, if it was asked. */
  readonly code: string | null
  /** When anybody may take it. */
  readonly retryInMs: number
}

/**
 * READY, ours → READY, anybody's, later: for what was not handed over (budget, pause, breaker) or is known not to have
 * been taken. An attempt that was begun is taken back: it does not count.
 */
export const giveBackDeliveriesSql = `
  UPDATE deliveries d
  SET lease_token = NULL, lease_until = now() + g.retry_in_ms * interval '1 ms', code = coalesce(g.code, d.code),
      attempt = d.attempt - (d.attempted_at IS NOT NULL)::int, attempted_at = NULL
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[])
    AS g (notification_id, channel, target_id, code, retry_in_ms)
  WHERE d.notification_id = g.notification_id AND d.channel = g.channel AND d.target_id = g.target_id
    AND d.status = 'READY' AND d.lease_token = ANY ($6::uuid[])
  RETURNING d.notification_id, d.channel, d.target_id
`

type Row = Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id'>

export const giveBackDeliveries = async (
  pool: Pool,
  given: readonly GivenBack[],
  token: string | readonly string[],
): Promise<DeliveryKey[]> => {
  if (given.length === 0) return []
  const sorted = inKeyOrder(given)
  const values = [
    ...keyColumns(sorted),
    sorted.map(({ code }) => code),
    sorted.map(({ retryInMs }) => wholeWaitMs(retryInMs)),
    [token].flat(),
  ]
  const { rows } = await askPostgres(() => pool.query<Row>(giveBackDeliveriesSql, values))
  return rows.map(keyOf)
}
