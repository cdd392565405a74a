import { createFcmControl, type FcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Pool } from 'pg'
import type { Shop } from './shop.ts'

/** A project of the demo's own, so that what it counts is the demo's. */
export const demoProject = 'dropbell-demo'

/** What became of the notifications, from the devices' side. */
export interface ShownPushes {
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

/** Once every notification has its outcome. */
export const showPushes = async (
  pool: Pool,
  fcm: FcmControl,
  shop: Shop,
  notifications: readonly NotificationEvent[],
): Promise<ShownPushes> => {
  const ids = notifications.map(({ notificationId }) => notificationId)
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
    received: messages.length,
    mostOfOne: Math.max(0, ...perDevice.values()),
    deadDevice: rows[0],
    receivedByOptedOut: messages.filter(({ token, data }) => ofOptedOut.has(token) && data?.type === 'PRICE_DROP')
      .length,
  }
}

export const tokenOf = (userId: string): string => `token-${userId}`

export const describePushes = (shown: ShownPushes): string =>
  [
    `${pad(shown.received)} pushes arrived at devices, none twice (most to one device: ${shown.mostOfOne})`,
    `${pad(1)} dead token found: its device is ${shown.deadDevice.status} (${shown.deadDevice.reason})`,
    `${pad(shown.receivedByOptedOut)} pushes about prices to the visitors who opted out`,
  ].join('\n')

const pad = (count: number): string => String(count).padStart(5)
