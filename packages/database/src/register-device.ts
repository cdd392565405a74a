import type { Pool } from 'pg'
import type { DevicePlatform } from './device-row.ts'
import { askPostgres } from './postgres-failure.ts'

export interface DeviceRegistration {
  readonly deviceId: string
  readonly userId: string
  readonly token: string
  readonly platform: DevicePlatform
  readonly locale?: string
  readonly pushConsent: boolean
}

const release = 'DELETE FROM devices WHERE token = $1 AND device_id <> $2'

const text = `
  INSERT INTO devices (device_id, user_id, token, platform, locale, push_consent)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (device_id) DO UPDATE SET
    user_id = excluded.user_id, token = excluded.token, platform = excluded.platform, locale = excluded.locale,
    push_consent = excluded.push_consent, status = 'ACTIVE', invalid_reason = NULL, last_seen_at = now(),
    updated_at = now()
`

/**
 * A token is where it was registered last: an app that was installed anew has another device id and may have the same
 * token. A device that registers is alive, whatever became of its token before.
 */
export const registerDevice = async (pool: Pool, device: DeviceRegistration): Promise<void> => {
  const { deviceId, userId, token, platform, locale = null, pushConsent } = device
  await askPostgres(async () => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      // Two registrations of one token come one after the other: the later has it.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [token])
      await client.query(release, [token, deviceId])
      await client.query(text, [deviceId, userId, token, platform, locale, pushConsent])
      await client.query('COMMIT')
      client.release()
    } catch (error) {
      client.release(true) // With the connection goes the transaction.
      throw error
    }
  })
}
