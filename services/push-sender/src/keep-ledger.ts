import { expireDeliveries } from '@dropbell/database/ledger/expire-deliveries'
import { sweepFailures } from '@dropbell/database/ledger/sweep-failures'
import type { Pool } from 'pg'
import { type BatchDeps, inBatches } from './change-in-batches.ts'
import type { OutcomePublisher } from './publish-outcomes.ts'
import type { PollerOptions } from './run-poller.ts'

export interface KeepDeps extends BatchDeps {
  pool: Pool
  outcomes: Pick<OutcomePublisher, 'publishLeftBehind'>
  sweepDueAt(lastLookAt: number, now: number): number | undefined
}

/** Whoever settled something publishes it at once; after this it is taken for left behind. */
const leftBehindMs = 5_000

/** One round of what is no channel's business. Any number of instances may do it at the same time. */
export const createKeepLedger = (deps: KeepDeps): PollerOptions['poll'] => {
  const { pool, clock } = deps
  let lastLookAt = clock.now()

  const sweep = async (beat: () => void): Promise<void> => {
    const now = clock.now()
    const dueAt = deps.sweepDueAt(lastLookAt, now)
    lastLookAt = now
    if (dueAt === undefined) return
    await inBatches(deps, 'sweep', beat, (options) => sweepFailures(pool, { ...options, failedBefore: dueAt }))
  }

  return async (signal, beat) => {
    await inBatches(deps, 'expired', beat, (options) => expireDeliveries(pool, options))
    await sweep(beat)
    while (!signal.aborted && (await deps.outcomes.publishLeftBehind({ olderThanMs: leftBehindMs }))) beat()
  }
}
