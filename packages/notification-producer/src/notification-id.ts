import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import { parse, v5 } from 'uuid'

/** Never changes: with another one, every replayed event would make new notifications. */
const namespace = parse('6f1d2c52-8a0b-4f0e-9d0b-3b7f4f6f2f5a')

export interface NotificationOrigin {
  readonly eventId: string
  /** Null for what is said of everybody who was not told. */
  readonly userId: string | null
  readonly type: NotificationType
}

/**
 * The same event always makes the same notification. JSON keeps the parts apart whatever is in them: joined by a
 * separator, two users whose ids contain it could share an id.
 */
export const notificationIdOf = ({ eventId, userId, type }: NotificationOrigin): string =>
  v5(Buffer.from(JSON.stringify([eventId, userId, type])), namespace)
