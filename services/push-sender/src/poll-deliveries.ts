import { randomUUID } from 'node:crypto'
import { expireDeliveries } from '@dropbell/database/ledger/expire-deliveries'
import { settleAbandoned } from '@dropbell/database/ledger/settle-abandoned'
import { settleDeliveries } from '@dropbell/database/ledger/settle-deliveries'
import { sweepFailures } from '@dropbell/database/ledger/sweep-failures'
import { type TakeKind, takeDueDeliveries } from '@dropbell/database/ledger/take-due-deliveries'
import { defaultRecipient, readRecipients } from '@dropbell/database/read-recipients'
import type { Clock } from '@dropbell/notification-producer/clock'
import type { Channel } from '@dropbell/schemas/generated/notification-event'
import type { Logger } from '@dropbell/shared/log'
import type { Pool } from 'pg'
import type { SenderConfig } from './config.ts'
import type { Deliver } from './deliver.ts'
import type { OutcomePublisher } from './publish-outcomes.ts'
import { reconsider } from './reconsider.ts'
import type { PollerOptions } from './run-poller.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { refused } from './settlement-of.ts'

export interface PollDeps {
  pool: Pool
  channel: Channel
  config: Pick<SenderConfig, 'DELIVERY_LEASE_MS' | 'DELIVERY_SEND_BATCH' | 'DELIVERY_RETRY_DELAYS_MS'>
  clock: Clock
  deliver: Deliver
  outcomes: OutcomePublisher
  sweepDueAt(lastLookAt: number, now: number): number | undefined
  metrics: Pick<SenderMetrics, 'found'>
  log: Logger
}

/** Rows of one statement: few enough to lock for a moment only. */
const batchSize = 500
/** Of one kind, before the others have their turn: retries must not keep a dead instance's work waiting. */
const batchesPerRound = 20
/** Whoever settled something publishes it at once; after this it is taken for left behind. */
const leftBehindMs = 5_000

/** One round of what nobody else will do. Any number of instances may do it at the same time. */
export const createPollDeliveries = (deps: PollDeps): PollerOptions['poll'] => {
  const { pool, channel, config, clock, metrics, log } = deps
  const quickRetries = config.DELIVERY_RETRY_DELAYS_MS.length
  let lastLookAt = clock.now()

  const inBatches = async (
    reason: 'abandoned' | 'expired' | 'sweep',
    beat: () => void,
    change: (pool: Pool, options: { limit: number; now: number }) => Promise<number>,
  ): Promise<void> => {
    for (let changed = batchSize; changed === batchSize; ) {
      changed = await change(pool, { limit: batchSize, now: clock.now() })
      beat()
      metrics.found.inc({ reason }, changed)
      if (changed > 0) log.info({ kind: reason, records: changed }, 'deliveries moved on')
    }
  }

  /** Returns whether there may be more to take now. */
  const work = async (kind: TakeKind, signal: AbortSignal): Promise<boolean> => {
    const limit = config.DELIVERY_SEND_BATCH
    const leaseToken = randomUUID()
    const options = { channel, limit, leaseToken, leaseMs: config.DELIVERY_LEASE_MS, now: clock.now() }
    const rows = await takeDueDeliveries(pool, kind, options)
    if (rows.length === 0) return false
    metrics.found.inc({ reason: kind }, rows.length)
    log.info({ kind, records: rows.length }, 'deliveries taken')
    const recipients = await readRecipients(pool, [...new Set(rows.map((row) => row.user_id))])
    const judged = rows.map((row) => reconsider(row, recipients.get(row.user_id) ?? defaultRecipient, clock.now()))
    const refusals = judged.flatMap((verdict) =>
      verdict.kind === 'refuse' ? [refused(verdict.key, verdict.code)] : [],
    )
    await settleDeliveries(pool, refusals, { token: leaseToken, now: clock.now() })
    const held = judged.flatMap((verdict) => (verdict.kind === 'send' ? [verdict.held] : []))
    const run = { origin: 'poll', leaseToken, signal, progress: async () => {} } as const
    const { settled, heldBack } = await deps.deliver(held, run)
    await deps.outcomes.publishOf(
      new Set(
        [...refusals, ...settled.map(({ settlement }) => settlement)].map(({ notificationId }) => notificationId),
      ),
    )
    return rows.length === limit && !heldBack
  }

  const sweep = async (beat: () => void): Promise<void> => {
    const now = clock.now()
    const dueAt = deps.sweepDueAt(lastLookAt, now)
    lastLookAt = now
    if (dueAt === undefined) return
    await inBatches('sweep', beat, (pool, options) => sweepFailures(pool, { ...options, failedBefore: dueAt }))
  }

  return async (signal, beat) => {
    await inBatches('abandoned', beat, (pool, options) => settleAbandoned(pool, { ...options, quickRetries }))
    await inBatches('expired', beat, expireDeliveries)
    await sweep(beat)
    for (const kind of ['retry', 'take-over'] as const) {
      let more = true
      for (let batch = 0; more && batch < batchesPerRound && !signal.aborted; batch++) {
        more = await work(kind, signal)
        beat()
      }
    }
    let published = batchSize
    while (published === batchSize && !signal.aborted) {
      published = await deps.outcomes.publishLeftBehind({ limit: batchSize, olderThanMs: leftBehindMs })
    }
  }
}
