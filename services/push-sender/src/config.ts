import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { commaList, count, milliseconds, text } from '@dropbell/shared/config/variables'
import { sweepScheduleFault } from './sweep-schedule.ts'

// Settling takes its time too, and must be done before the lease is over.
const settleMarginMs = 500

const shape = {
  // Poll interval and lease together stay below the minute within which a dead instance's work is taken over.
  DELIVERY_LEASE_MS: milliseconds({ min: 1_000, max: 50_000 })
    .default(30_000)
    .describe('How long a delivery belongs to the instance that took it; afterwards another may take it over.'),
  // Less than SHUTDOWN_TIMEOUT_MS, so that a service that is told to stop still hears the answers.
  DELIVERY_SEND_DEADLINE_MS: milliseconds({ min: 100 })
    .default(5_000)
    .describe('How long a provider may take for a delivery before its outcome counts as unknown.'),
  DELIVERY_SEND_BATCH: count({ min: 1, max: 500 })
    .default(500)
    .describe('Most deliveries that are marked attempted and sent at once.'),
  DELIVERY_RETRY_DELAYS_MS: commaList({ item: /^\d{1,8}$/, expected: 'milliseconds, separated by commas' })
    .default(['1000', '2000', '4000'])
    .describe('Waits before the quick retries of a delivery; what fails after the last is left to the sweep.'),
  DELIVERY_POLL_INTERVAL_MS: milliseconds({ min: 10, max: 10_000 })
    .default(1_000)
    .describe('How often retries that are due and the work of dead instances are looked for.'),
  OFFER_RECHECK_MS: milliseconds({ min: 1_000, max: 86_400_000 })
    .default(60_000)
    .describe(
      'How old an event may be before price and stock are looked at again; and how often, while nobody knows them.',
    ),
  QUIET_HOURS_SPREAD_MS: milliseconds({ max: 7_200_000 })
    .default(900_000)
    .describe("Over how long the end of users' quiet hours is spread, so that not everything is sent at once."),
  PRODUCT_PRICE_FIELD: text().default('price').describe('Field of PRODUCT_INDEX that has the price of a product.'),
  PRODUCT_STOCK_FIELD: text().default('stock').describe('Field of PRODUCT_INDEX that has the stock of a product.'),
  RECOVERY_SWEEP_CRON: text()
    .default('*/5 9-21 * * *')
    .describe('When deliveries whose quick retries are spent are tried again: minute, hour, day, month, weekday.'),
  RECOVERY_SWEEP_TIMEZONE: text().default('Asia/Seoul').describe('Timezone of RECOVERY_SWEEP_CRON.'),
}

/** How the ledger is worked off, whatever the channel. */
export const senderConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    const { DELIVERY_LEASE_MS: lease, DELIVERY_SEND_DEADLINE_MS: deadline } = values
    if (lease !== undefined && deadline !== undefined && deadline + settleMarginMs > lease) {
      fault('DELIVERY_SEND_DEADLINE_MS', `is ${deadline}`, `${settleMarginMs} ms less than DELIVERY_LEASE_MS, ${lease}`)
    }
    const { RECOVERY_SWEEP_CRON: cron, RECOVERY_SWEEP_TIMEZONE: timezone } = values
    if (cron === undefined || timezone === undefined) return
    const problem = sweepScheduleFault({ cron, timezone })
    if (problem) fault('RECOVERY_SWEEP_CRON', `is "${cron}" in ${timezone}`, `a schedule (${problem})`)
  },
}

export type SenderConfig = Config<typeof senderConfig>
