import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { type DeliveryKey, inKeyOrder, keyColumns } from './delivery-key.ts'
import { noteOutcomes, type OutcomeNote } from './outcome-notes.ts'

export interface Deferral extends DeliveryKey {
  /** Business time, in milliseconds since the epoch. */
  readonly notBefore: number
  readonly code: string
}

/**
 * READY, ours → READY, waiting for its time; an attempt that was begun is taken back. That is news about its notification the first time only: what waits for the
 * same reason as before says nothing new.
 */
export const deferDeliveriesSql = `
  WITH ours AS MATERIALIZED (
    SELECT d.notification_id, d.channel, d.target_id, w.code, w.not_before, d.code IS DISTINCT FROM w.code AS is_news
    FROM deliveries d
    JOIN unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[])
      AS w (notification_id, channel, target_id, code, not_before) USING (notification_id, channel, target_id)
    WHERE d.status = 'READY' AND d.lease_token = $6
    FOR UPDATE OF d
  ), deferred AS (
    UPDATE deliveries d
    SET lease_token = NULL, lease_until = NULL, code = o.code, not_before = to_timestamp(o.not_before / 1000.0),
        attempt = d.attempt - (d.attempted_at IS NOT NULL)::int, attempted_at = NULL,
        revision = d.revision + o.is_news::int, revised_at = CASE WHEN o.is_news THEN now() ELSE d.revised_at END
    FROM ours o
    WHERE (d.notification_id, d.channel, d.target_id) = (o.notification_id, o.channel, o.target_id)
    RETURNING d.notification_id, o.is_news
  ), noted AS (
    ${noteOutcomes('(SELECT notification_id FROM ours WHERE is_news) news')}
  )
  SELECT notification_id, is_news, (SELECT note_id FROM noted) FROM deferred
`

export interface Deferred {
  readonly deferred: number
  /** Of which notifications that is news. */
  readonly news: readonly string[]
  readonly note: OutcomeNote | undefined
}

export const deferDeliveries = async (pool: Pool, deferrals: readonly Deferral[], token: string): Promise<Deferred> => {
  if (deferrals.length === 0) return { deferred: 0, news: [], note: undefined }
  const sorted = inKeyOrder(deferrals)
  const values = [
    ...keyColumns(sorted),
    sorted.map(({ code }) => code),
    sorted.map(({ notBefore }) => Math.round(notBefore)),
    token,
  ]
  const { rows } = await askPostgres(() =>
    pool.query<{ notification_id: string; is_news: boolean; note_id: OutcomeNote | null }>(deferDeliveriesSql, values),
  )
  const news = rows.flatMap(({ is_news, notification_id }) => (is_news ? [notification_id] : []))
  return { deferred: rows.length, news, note: rows[0]?.note_id ?? undefined }
}
