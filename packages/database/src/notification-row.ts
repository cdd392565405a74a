/** A row of `notifications`. */
export interface NotificationRow {
  notification_id: string
  user_id: string
  notification_type: 'PRICE_DROP' | 'BACK_IN_STOCK' | 'RECOMMENDATION' | 'REMINDER' | 'TRANSACTIONAL'
  product_id: string
  /** Null where the notification came from a writer of version 1. */
  event_id: string | null
  created_at: Date
  title: string
  body: string
  data: Record<string, string>
  channels: ('PUSH' | 'SMS' | 'EMAIL' | 'IN_APP')[]
  priority: 'LOW' | 'NORMAL' | 'HIGH'
  /** When the producer made it. */
  composed_at: Date
  event_timestamp: Date | null
  expires_at: Date
  traceparent: string | null
  read_at: Date | null
  /** Why no channel was even considered. */
  refusal: string | null
  /** The user's when it was planned: by its dates the day was counted on which it was admitted. Null in old rows. */
  timezone: string | null
}
