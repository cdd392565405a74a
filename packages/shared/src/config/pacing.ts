import type { Config, ConfigFragment } from '../config.ts'
import { count, flag } from './variables.ts'

/** How far whoever publishes much may run ahead of those who read it. */
export const pacingConfig = {
  shape: {
    PACING_MAX_LAG: count()
      .default(1_000)
      .describe('Fan-outs and batches wait while push-sender-group is further behind than this; 0 never waits.'),
    PACING_REQUIRE_CONSUMER: flag()
      .default(false)
      .describe('Whether they also wait while that group has no member or does not exist.'),
  },
} satisfies ConfigFragment

export type PacingConfig = Config<typeof pacingConfig>
