export type PreferredChannel = 'PUSH' | 'SMS' | 'EMAIL' | 'IN_APP'

/** A row of `notification_preferences`. */
export interface NotificationPreferencesRow {
  user_id: string
  price_drop_enabled: boolean
  restock_enabled: boolean
  recommendation_enabled: boolean
  reminder_enabled: boolean
  channels: PreferredChannel[]
  /** Local time, HH:MM:SS. Both or neither are set; the end may be before the start. */
  quiet_hours_start: string | null
  quiet_hours_end: string | null
  updated_at: Date
}
