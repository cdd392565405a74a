/** A row of `notifications`. */
export interface NotificationRow {
  notification_id: string
  user_id: string
  notification_type: 'PRICE_DROP' | 'BACK_IN_STOCK' | 'RECOMMENDATION' | 'REMINDER' | 'TRANSACTIONAL'
  product_id: string
  /** Null where the notification came from a writer of version 1. */
  event_id: string | null
  created_at: Date
}
