import { randomUUID } from 'node:crypto'
import { settleAbandoned } from '@dropbell/database/ledger/settle-abandoned'
import { settleDeliveries } from '@dropbell/database/ledger/settle-deliveries'
import { type TakeKind, type TakenRow, takeDueDeliveries } from '@dropbell/database/ledger/take-due-deliveries'
import { defaultRecipient, readRecipients } from '@dropbell/database/read-recipients'
import type { Clock } from '@dropbell/notification-producer/clock'
import type { Channel } from '@dropbell/schemas/generated/notification-event'
import type { Logger } from '@dropbell/shared/log'
import type { Pool } from 'pg'
import { inBatches } from './change-in-batches.ts'
import type { SenderConfig } from './config.ts'
import type { Deliver } from './deliver.ts'
import type { OutcomePublisher } from './publish-outcomes.ts'
import { reconsider } from './reconsider.ts'
import type { PollerOptions } from './run-poller.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { refused as refusalOf } from './settlement-of.ts'
import type { SiftDeliveries } from './sift-deliveries.ts'
import { untilAnswered } from './until-answered.ts'

export interface PollDeps {
  pool: Pool
  config: Pick<SenderConfig, 'DELIVERY_LEASE_MS' | 'DELIVERY_SEND_BATCH' | 'DELIVERY_RETRY_DELAYS_MS'>
  clock: Clock
  sift: SiftDeliveries
  deliver: Deliver
  outcomes: Pick<OutcomePublisher, 'publish'>
  metrics: Pick<SenderMetrics, 'found'>
  log: Logger
}

const batchesPerRound = 20

/** What is judged together is sent soon after: gateways and mail servers take a few at a time. */
const mostAtOnce: Readonly<Record<Channel, number>> = { PUSH: 500, IN_APP: 500, SMS: 100, EMAIL: 100 }

/**
 * One round of what is due on a channel: retries, work of dead instances or left to it, deferred deliveries whose time
 * has come. What it takes is judged again first. Any number of instances may do it at the same time.
 */
export const createPollChannel = (channel: Channel, deps: PollDeps): PollerOptions['poll'] => {
  const { pool, config, clock, metrics, log } = deps
  const quickRetries = config.DELIVERY_RETRY_DELAYS_MS.length
  const limit = Math.min(config.DELIVERY_SEND_BATCH, mostAtOnce[channel])

  /** Returns whether there may be more to take now. */
  const work = async (kind: TakeKind, signal: AbortSignal, beat: () => void): Promise<boolean> => {
    const leaseToken = randomUUID()
    const claimedAt = performance.now()
    const options = { channel, limit, leaseToken, leaseMs: config.DELIVERY_LEASE_MS, now: clock.now() }
    const rows = await takeDueDeliveries(pool, kind, options)
    beat()
    if (rows.length === 0) return false
    metrics.found.inc({ reason: kind }, rows.length)
    log.info({ channel, kind, records: rows.length }, 'deliveries taken')
    const { held, refusals } = await reconsiderAll(rows)
    const inTime = { wait: clock.wait, deadline: performance.now() + config.DELIVERY_LEASE_MS / 2 }
    const refused = await untilAnswered(
      () => settleDeliveries(pool, refusals, { token: leaseToken, now: clock.now() }),
      inTime,
    )
    const sifted = await deps.sift(held, leaseToken)
    const run = { origin: 'poll', leaseToken, claimedAt, signal, progress: async () => beat() } as const
    const sent = await deps.deliver(sifted.toSend, run)
    const settled = sent.settled.flatMap(({ settlements }) => settlements)
    const changed = [...refused.deliveries, ...settled].map(({ notificationId }) => notificationId)
    await deps.outcomes.publish({
      toRead: new Set([...sifted.news, ...changed]),
      notes: [
        ...(refused.note === undefined ? [] : [refused.note]),
        ...sifted.notes,
        ...sent.settled.map(({ note }) => note),
      ],
    })
    return rows.length === limit && !sent.heldBack
  }

  const reconsiderAll = async (rows: readonly TakenRow[]) => {
    const recipients = await readRecipients(pool, [...new Set(rows.map((row) => row.user_id))])
    const now = clock.now()
    const verdicts = rows.map((row) => reconsider(row, recipients.get(row.user_id) ?? defaultRecipient, now))
    return {
      held: verdicts.flatMap((verdict) => (verdict.kind === 'send' ? [verdict.held] : [])),
      refusals: verdicts.flatMap((verdict) =>
        verdict.kind === 'refuse' ? [refusalOf(verdict.key, verdict.code)] : [],
      ),
    }
  }

  return async (signal, beat) => {
    await inBatches(deps, 'abandoned', beat, (options) => settleAbandoned(pool, { ...options, channel, quickRetries }))
    // In turns: a morning's worth of deferred ones does not keep what was only just left here waiting.
    let kinds: TakeKind[] = ['retry', 'take-over', 'deferred']
    for (let batch = 0; kinds.length > 0 && batch < batchesPerRound; batch++) {
      const more: TakeKind[] = []
      for (const kind of kinds) if (!signal.aborted && (await work(kind, signal, beat))) more.push(kind)
      kinds = more
    }
  }
}
