export type DevicePlatform = 'IOS' | 'ANDROID' | 'WEB'

/** A row of `devices`. */
export interface DeviceRow {
  device_id: string
  user_id: string
  /** Never logged. */
  token: string
  platform: DevicePlatform
  /** BCP 47; null where the app did not say. */
  locale: string | null
  push_consent: boolean
  status: 'ACTIVE' | 'INVALID'
  invalid_reason: string | null
  last_seen_at: Date
  created_at: Date
  updated_at: Date
}
