import type { Pool } from 'pg'
import type { NotificationRow } from './notification-row.ts'
import { askPostgres } from './postgres-failure.ts'

const text = 'SELECT notification_id FROM notifications WHERE notification_id = ANY ($1::uuid[])'

/** Which of these were handed to delivery before. */
export const findKnownNotifications = async (pool: Pool, notificationIds: readonly string[]): Promise<Set<string>> => {
  if (notificationIds.length === 0) return new Set()
  const { rows } = await askPostgres(() =>
    pool.query<Pick<NotificationRow, 'notification_id'>>(text, [notificationIds]),
  )
  return new Set(rows.map((row) => row.notification_id))
}
