import type { PreferredChannel } from './notification-preferences-row.ts'

export type DeliveryStatus = 'READY' | 'SUCCESS' | 'FAIL'

/** A row of `deliveries`. */
export interface DeliveryRow {
  notification_id: string
  channel: PreferredChannel
  /** The id of a device or address; empty where the channel was refused as a whole. */
  target_id: string
  status: DeliveryStatus
  /** The provider's error code, or why nothing was sent. */
  code: string | null
  /** Whether it may be repeated after an unknown outcome. */
  transactional: boolean
  expires_at: Date
  /** How often it was handed to a provider. */
  attempt: number
  /** Whose row it is. Null: nobody's, and whoever finds it due may take it. */
  lease_token: string | null
  /** By the database's clock. Null in a READY row that waits for `not_before`. */
  lease_until: Date | null
  /** Set while an attempt is under way, and after it. */
  attempted_at: Date | null
  /** Not sent before this, by the clock of the business: quiet hours, or an offer that nobody can judge yet. */
  not_before: Date | null
  /** Of a FAIL: another attempt may do better. */
  retryable: boolean
  /** Of a retryable FAIL: when; null once its quick retries are spent and it waits for the sweep. */
  next_retry_at: Date | null
  latency_ms: number | null
  provider_id: string | null
  settled_at: Date | null
  /** How often it changed in a way that its notification's outcome tells of. */
  revision: number
  /** When it last did. */
  revised_at: Date | null
}
