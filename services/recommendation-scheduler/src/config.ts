import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, flag, milliseconds, text, url } from '@dropbell/shared/config/variables'
import { z } from 'zod'
import { scheduleFault } from './run-schedule.ts'

// Elasticsearch refuses more buckets than this in one answer, unless its search.max_buckets is raised.
const mostBuckets = 65_535

const timeOfDayOrOff = () =>
  z
    .string()
    .regex(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/)
    .meta({ expected: 'HH:MM, or off' })

const shape = {
  RECOMMENDATION_ENABLED: flag().default(true).describe('Whether there are recommendations at all.'),
  RECOMMENDATION_CRON: text()
    .default('0 0 9 * * *')
    .describe('When the daily batch begins: second, minute, hour, day, month, weekday. One batch a day at the most.'),
  RECOMMENDATION_ZONE: text().default('Asia/Seoul').describe('Timezone of RECOMMENDATION_CRON, and of what a day is.'),
  RECOMMENDATION_CATCH_UP_UNTIL: timeOfDayOrOff()
    .default('12:00')
    .describe('Until when a batch that was missed or interrupted is made up for; later only by hand.'),
  RECOMMENDATION_ACTIVE_USER_DAYS: count({ min: 1, max: 3_650 })
    .default(7)
    .describe('Who did anything in this many days before the batch is recommended something.'),
  RECOMMENDATION_LIMIT: count({ min: 1, max: 10 }).default(3).describe('Most products recommended to a user.'),
  RECOMMENDATION_PAGE_SIZE: count({ min: 1, max: mostBuckets })
    .default(10_000)
    .describe('Active users per request to Elasticsearch.'),
  RECOMMENDATION_BATCH_SIZE: count({ min: 1, max: 10_000 })
    .default(100)
    .describe('Users who are admitted, told and committed together in a daily batch.'),
  RECOMMENDATION_API_URL: url('http', 'https')
    .default('http://recommendation-api:8082')
    .describe('The recommendation API, without /api/v1/recommendations.'),
  RECOMMENDATION_API_TIMEOUT_MS: milliseconds({ min: 1, max: 60_000 })
    .default(2_000)
    .describe('How long the recommendation API may take for a user.'),
  RECOMMENDATION_API_CONCURRENCY: count({ min: 1, max: 1_000 })
    .default(32)
    .describe('Requests to the recommendation API at the same time.'),
  RECOMMENDATION_API_RETRIES: count({ max: 10 })
    .default(1)
    .describe('How often a request that failed or timed out is repeated before the user is left out.'),
  RECOMMENDATION_API_BREAKER_FAILURES: count({ min: 1, max: 10_000 })
    .default(20)
    .describe('Failures of the recommendation API in a row after which it counts as down.'),
  RECOMMENDATION_API_BREAKER_RESET_MS: milliseconds({ min: 1 })
    .default(5_000)
    .describe('How long an API that is down is left alone before one request finds out whether it is back.'),
  RECOMMENDATION_API_PATIENCE_MS: milliseconds()
    .default(60_000)
    .describe('How long a batch waits for an API that is down before it leaves users out without asking.'),
  RECOMMENDATION_LOCK_AT_MOST_MS: milliseconds({ min: 1_000 })
    .default(3_600_000)
    .describe('How long the batch stays locked when its holder dies.'),
  RECOMMENDATION_LOCK_AT_LEAST_MS: milliseconds()
    .default(300_000)
    .describe('How long the batch stays locked from its begin, however soon it ends.'),
  RECOMMENDATION_HEARTBEAT_TIMEOUT_MS: milliseconds({ min: 1_000 })
    .default(60_000)
    .describe('After how long without a sign of life a batch may be taken from its holder.'),
  PACING_DEADLINE_MS: milliseconds({ min: 1 })
    .default(1_800_000)
    .describe('How long a batch waits for push-sender-group before it ends as PAUSED.'),
}

export const recommendationConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    const { RECOMMENDATION_CRON: cron, RECOMMENDATION_ZONE: zone } = values
    const problem = cron !== undefined && zone !== undefined && scheduleFault(cron, zone)
    if (problem) fault('RECOMMENDATION_CRON', `is "${cron}" in ${zone}`, `a schedule (${problem})`)
    const { RECOMMENDATION_LOCK_AT_LEAST_MS: least, RECOMMENDATION_LOCK_AT_MOST_MS: most } = values
    if (least !== undefined && most !== undefined && least > most) {
      fault('RECOMMENDATION_LOCK_AT_LEAST_MS', `is ${least}`, `RECOMMENDATION_LOCK_AT_MOST_MS, ${most}, or less`)
    }
    const { RECOMMENDATION_API_URL: api } = values
    if (api === undefined) return
    const { username, password, search, hash } = new URL(api)
    if (username || password) fault('RECOMMENDATION_API_URL', 'holds credentials', 'none: they would not be sent')
    else if (search || hash) fault('RECOMMENDATION_API_URL', 'has more than a path', 'a URL that ends with its path')
  },
}

export type RecommendationConfig = Config<typeof recommendationConfig>
