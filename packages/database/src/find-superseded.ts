import type { Pool } from 'pg'
import type { NotificationRow } from './notification-row.ts'
import { askPostgres } from './postgres-failure.ts'

/** By when it happened; of two of the same moment, the one with the greater id is the newer, for everybody who asks. */
export const findSupersededSql = `
  SELECT n.notification_id
  FROM notifications n
  WHERE n.notification_id = ANY ($1::uuid[]) AND EXISTS (
    SELECT
    FROM notifications newer
    WHERE (newer.user_id, newer.product_id, newer.notification_type) = (n.user_id, n.product_id, n.notification_type)
      AND newer.refusal IS NULL
      AND (coalesce(newer.event_timestamp, newer.composed_at), newer.notification_id)
        > (coalesce(n.event_timestamp, n.composed_at), n.notification_id)
  )
`

/** Which of these are not the newest about their user, product and type. */
export const findSuperseded = async (pool: Pool, notificationIds: readonly string[]): Promise<Set<string>> => {
  if (notificationIds.length === 0) return new Set()
  const { rows } = await askPostgres(() =>
    pool.query<Pick<NotificationRow, 'notification_id'>>(findSupersededSql, [notificationIds]),
  )
  return new Set(rows.map((row) => row.notification_id))
}
