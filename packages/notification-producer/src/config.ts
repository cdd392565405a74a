import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, milliseconds, oneOf } from '@dropbell/shared/config/variables'

const hours = () => count({ min: 1, max: 24 * 365 })
const onOrOff = () => oneOf(['on', 'off'])

/** Who may be told how often, how long it is worth telling, and how it is published. */
export const notificationConfig = {
  shape: {
    DUPLICATE_PREVENTION_HOURS: hours()
      .default(1)
      .describe('How long a user is not told again about the same product and type.'),
    DAILY_LIMIT_PER_USER: count({ min: 1, max: 1_000 })
      .default(10)
      .describe("Most promotional notifications to a user in a day of the user's own timezone."),
    NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS: hours()
      .default(24)
      .describe('How long after its event a price drop, restock or recommendation may be sent.'),
    NOTIFICATION_VALIDITY_REMINDER_HOURS: hours()
      .default(7 * 24)
      .describe('How long after it was due a reminder may be sent.'),
    NOTIFICATION_VALIDITY_TRANSACTIONAL_HOURS: hours()
      .default(7 * 24)
      .describe('How long after its event a transactional notification may be sent.'),
    NOTIFICATION_BATCH_SIZE: count({ min: 1, max: 10_000 })
      .default(500)
      .describe('Users who are asked about, and told, together.'),
    NOTIFICATION_BATCH_DELAY_MS: milliseconds().default(0).describe('Wait between two such batches.'),
    HISTORY_REFUSALS: onOrOff()
      .default('on')
      .describe('Whether refused notifications go to the history, with the reason.'),
    GATE_REDIS_CHECK: onOrOff()
      .default('on')
      .describe('Whether to refuse a Redis that may forget: no append-only file, eviction, or a replica.'),
  },
} satisfies ConfigFragment

export type NotificationConfig = Config<typeof notificationConfig>
