import type { Config, ConfigFragment } from '../config.ts'
import { count, milliseconds } from './variables.ts'

/** How a consumer of a topic works, whatever it does with the records. */
export const consumerConfig = {
  shape: {
    CONSUMER_MAX_BATCH_RECORDS: count({ min: 1, max: 10_000 })
      .default(500)
      .describe('Records of a partition that are handled together, and dead-lettered together in an outage.'),
    // More than a publish may take, during which there is no progress to tell of.
    CONSUMER_SESSION_TIMEOUT_MS: milliseconds({ min: 20_000 })
      .default(30_000)
      .describe('How long a consumer may make no progress before its partitions go to another.'),
    // Less than SHUTDOWN_TIMEOUT_MS: producers and connections are closed after the consumer.
    CONSUMER_DRAIN_TIMEOUT_MS: milliseconds({ min: 1 })
      .default(5_000)
      .describe('How long work in hand may take when the consumer stops or its group is rebalanced.'),
  },
} satisfies ConfigFragment

export type ConsumerConfig = Config<typeof consumerConfig>
