import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, milliseconds } from '@dropbell/shared/config/variables'

const shape = {
  IN_APP_BREAKER_FAILURES: count({ min: 1, max: 10_000 })
    .default(1)
    .describe(
      'Notifications in a row that Kafka did not acknowledge, after which none is published to the app for a while.',
    ),
  IN_APP_BREAKER_RESET_MS: milliseconds({ min: 1 })
    .default(1_000)
    .describe('How long none is published then, before a single one is tried.'),
}

export const inAppConfig: ConfigFragment<typeof shape> = { shape }

export type InAppConfig = Config<typeof inAppConfig>
