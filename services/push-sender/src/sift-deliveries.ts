import { deferDeliveries } from '@dropbell/database/ledger/defer-deliveries'
import { giveBackDeliveries } from '@dropbell/database/ledger/give-back-deliveries'
import type { OutcomeNote } from '@dropbell/database/ledger/outcome-notes'
import { settleDeliveries } from '@dropbell/database/ledger/settle-deliveries'
import type { Clock } from '@dropbell/notification-producer/clock'
import type { Pool } from 'pg'
import { countBy } from './count-by.ts'
import type { HeldDelivery } from './held-delivery.ts'
import type { JudgeDeliveries } from './judge-deliveries.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { refused } from './settlement-of.ts'
import { untilAnswered } from './until-answered.ts'

export interface SiftDeps {
  pool: Pool
  judge: JudgeDeliveries
  clock: Clock
  metrics: Pick<SenderMetrics, 'judged'>
}

export interface Sifted {
  readonly toSend: readonly HeldDelivery[]
  /** Notifications of which there may be something to tell. */
  readonly news: readonly string[]
  /** Of their outcomes. */
  readonly notes: readonly OutcomeNote[]
}

export type SiftDeliveries = (held: readonly HeldDelivery[], leaseToken: string) => Promise<Sifted>

/** Until somebody who could not judge is asked again. */
const askAgainMs = 1_000
const patienceMs = 2_000

/** Judges what is ours, and puts into the ledger what is not to be sent now, or not at all. The rest is still ours. */
export const createSift =
  ({ pool, judge, clock, metrics }: SiftDeps): SiftDeliveries =>
  async (held, leaseToken) => {
    const now = clock.now()
    const verdicts = await judge(held, now)
    const judged = held.map((delivery, index) => ({ delivery, verdict: verdicts[index] ?? { kind: 'give-back' } }))
    const refusals = judged.flatMap(({ delivery: { key }, verdict }) =>
      verdict.kind === 'refuse' ? [refused(key, verdict.code)] : [],
    )
    const deferrals = judged.flatMap(({ delivery: { key }, verdict }) =>
      verdict.kind === 'defer' ? [{ ...key, notBefore: verdict.notBefore, code: verdict.code }] : [],
    )
    const back = judged.flatMap(({ delivery: { key }, verdict }) =>
      verdict.kind === 'give-back' ? [{ ...key, code: 'HELD_BACK', retryInMs: askAgainMs }] : [],
    )
    // Pollers of several channels may be at the same notifications: a deadlock is tried again.
    const inTime = { wait: clock.wait, deadline: performance.now() + patienceMs }
    const settled = await untilAnswered(() => settleDeliveries(pool, refusals, { token: leaseToken, now }), inTime)
    const deferred = await untilAnswered(() => deferDeliveries(pool, deferrals, leaseToken), inTime)
    await untilAnswered(() => giveBackDeliveries(pool, back, leaseToken), inTime)
    const counts = countBy(judged, ({ verdict }) => ('code' in verdict ? verdict.code : verdict.kind))
    for (const [verdict, count] of counts) metrics.judged.inc({ verdict }, count)
    return {
      toSend: judged.flatMap(({ delivery, verdict }) => (verdict.kind === 'send' ? [delivery] : [])),
      news: [...new Set([...settled.deliveries.map(({ notificationId }) => notificationId), ...deferred.news])],
      notes: [settled, deferred].flatMap(({ note }) => note ?? []),
    }
  }
