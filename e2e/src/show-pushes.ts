import { setTimeout as delay } from 'node:timers/promises'
import { createFcmControl, type FcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Pool } from 'pg'
import type { Shop } from './shop.ts'

/** A project of the demo's own, so that what it counts is the demo's. */
export const demoProject = 'dropbell-demo'

/** What became of the notifications, from the ledger and from the devices' side. */
export interface ShownPushes {
  notifications: number
  /** Notifications by how they ended. */
  outcomes: Record<string, number>
  /** What all devices together received. */
  received: number
  /** Most that one device received of one notification. */
  mostOfOne: number
  deadDevice: { status: string; reason: string | null }
  /** What the visitors who opted out received about the price. */
  receivedByOptedOut: number
}

/** The token of one visitor's old phone is dead: FCM will say so. */
export const scriptDeadToken = (fcm: FcmControl, { deadDevice }: Shop): Promise<void> =>
  fcm.script({ do: 'refuse', code: 'UNREGISTERED' }, deadDevice.token)

export const openDemoFcm = (endpoint: string): FcmControl => createFcmControl(endpoint, demoProject)

const settledSql = `
  SELECT n.notification_id, min(CASE d.status WHEN 'SUCCESS' THEN 'a sent' WHEN 'FAIL' THEN 'b ' || d.code END) AS ending
  FROM notifications n LEFT JOIN deliveries d USING (notification_id)
  WHERE n.notification_id = ANY ($1::uuid[]) AND n.published_revision > 0
  GROUP BY n.notification_id
  HAVING coalesce(bool_and(d.status <> 'READY' AND NOT d.retryable), true)
`

/** Waits until every notification has its outcome, and looks at both ends of the way. */
export const showPushes = async (
  pool: Pool,
  fcm: FcmControl,
  shop: Shop,
  notifications: readonly NotificationEvent[],
): Promise<ShownPushes> => {
  const ids = notifications.map(({ notificationId }) => notificationId)
  const endings = await untilSettled(pool, ids)
  const outcomes: Record<string, number> = {}
  for (const ending of endings) outcomes[ending] = (outcomes[ending] ?? 0) + 1
  const messages = (await fcm.messages()).filter(({ data }) => ids.includes(data?.notificationId ?? ''))
  const perDevice = new Map<string, number>()
  for (const { token, data } of messages) {
    const key = `${token} ${data?.notificationId}`
    perDevice.set(key, (perDevice.get(key) ?? 0) + 1)
  }
  const { rows } = await pool.query('SELECT status, invalid_reason AS reason FROM devices WHERE device_id = $1', [
    shop.deadDevice.deviceId,
  ])
  const ofOptedOut = new Set(shop.optedOut.map((userId) => tokenOf(userId)))
  return {
    notifications: ids.length,
    outcomes,
    received: messages.length,
    mostOfOne: Math.max(0, ...perDevice.values()),
    deadDevice: rows[0],
    receivedByOptedOut: messages.filter(({ token, data }) => ofOptedOut.has(token) && data?.type === 'PRICE_DROP')
      .length,
  }
}

export const tokenOf = (userId: string): string => `token-${userId}`

const untilSettled = async (pool: Pool, ids: readonly string[]): Promise<string[]> => {
  const deadline = Date.now() + 60_000
  for (;;) {
    const { rows } = await pool.query<{ ending: string | null }>(settledSql, [ids])
    if (rows.length === ids.length) return rows.map(({ ending }) => (ending ?? 'b NO_DEVICE').slice(2))
    if (Date.now() > deadline) throw new Error(`Only ${rows.length} of ${ids.length} notifications have an outcome`)
    await delay(200)
  }
}

export const describePushes = (shown: ShownPushes): string =>
  [
    `${pad(shown.notifications)} notifications, ${shown.outcomes.sent ?? 0} of them sent:`,
    ...Object.entries(shown.outcomes)
      .filter(([ending]) => ending !== 'sent')
      .map(([ending, count]) => `${pad(count)} not sent: ${ending}`),
    `${pad(shown.received)} pushes arrived at devices, none twice (most to one device: ${shown.mostOfOne})`,
    `${pad(1)} dead token found: its device is ${shown.deadDevice.status} (${shown.deadDevice.reason})`,
    `${pad(shown.receivedByOptedOut)} pushes about prices to the visitors who opted out`,
  ].join('\n')

const pad = (count: number): string => String(count).padStart(5)
