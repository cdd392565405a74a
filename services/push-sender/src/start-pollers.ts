import { type Channel, channelSymbols } from '@dropbell/schemas/generated/notification-event'
import type { SenderConfig } from './config.ts'
import { createKeepLedger } from './keep-ledger.ts'
import { createPollChannel, type PollDeps } from './poll-channel.ts'
import type { OutcomePublisher } from './publish-outcomes.ts'
import { type Poller, type PollerOptions, runPoller } from './run-poller.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { createSweepSchedule } from './sweep-schedule.ts'

export interface PollersOptions extends PollDeps {
  config: SenderConfig
  outcomes: OutcomePublisher
  metrics: SenderMetrics
}

export interface Pollers {
  /** There is something to do for the poller of a channel. */
  wake(channel: Channel): void
  stop(): Promise<unknown>
  areAlive(): boolean
}

export const startPollers = (options: PollersOptions): Pollers => {
  const { config, metrics, log } = options
  const start = (name: PollerOptions['name'], poll: PollerOptions['poll']): Poller =>
    runPoller({ name, poll, intervalMs: config.DELIVERY_POLL_INTERVAL_MS, metrics, log })
  const sweepDueAt = createSweepSchedule({ cron: config.RECOVERY_SWEEP_CRON, timezone: config.RECOVERY_SWEEP_TIMEZONE })
  const keeper = start('keeper', createKeepLedger({ ...options, sweepDueAt }))
  const ofChannel = new Map(
    channelSymbols.map((channel) => [channel, start(channel, createPollChannel(channel, options))]),
  )
  const all = [keeper, ...ofChannel.values()]
  return {
    wake: (channel) => ofChannel.get(channel)?.wake(),
    stop: () => Promise.all(all.map((poller) => poller.stop())),
    areAlive: () => all.every((poller) => poller.isAlive()),
  }
}
