import type { Pool } from 'pg'
import type { DevicePlatform, DeviceRow } from './device-row.ts'
import { askPostgres } from './postgres-failure.ts'

/** Where a user can be reached, and whether they agreed to it there. */
export interface Device {
  readonly deviceId: string
  readonly token: string
  readonly platform: DevicePlatform
  readonly locale: string | null
  readonly pushConsent: boolean
}

const text = `
  SELECT user_id, device_id, token, platform, locale, push_consent
  FROM devices
  WHERE user_id = ANY ($1::text[]) AND status = 'ACTIVE'
  ORDER BY user_id, device_id
`

type Row = Pick<DeviceRow, 'user_id' | 'device_id' | 'token' | 'platform' | 'locale' | 'push_consent'>

/** The active devices of everybody who has one. One query, whatever the number of users. */
export const readDevices = async (pool: Pool, userIds: readonly string[]): Promise<Map<string, Device[]>> => {
  const devices = new Map<string, Device[]>()
  // Postgres refuses the whole list for a NUL in one text, which therefore cannot be in a row either.
  const askable = userIds.filter((userId) => !userId.includes('\0'))
  if (askable.length === 0) return devices
  const { rows } = await askPostgres(() => pool.query<Row>(text, [askable]))
  for (const row of rows) {
    const device = toDevice(row)
    const before = devices.get(row.user_id)
    if (before) before.push(device)
    else devices.set(row.user_id, [device])
  }
  return devices
}

const toDevice = (row: Row): Device => ({
  deviceId: row.device_id,
  token: row.token,
  platform: row.platform,
  locale: row.locale,
  pushConsent: row.push_consent,
})
