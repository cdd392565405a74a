import type { Clock } from '@dropbell/notification-producer/clock'
import type { Logger } from '@dropbell/shared/log'
import type { SenderMetrics } from './sender-metrics.ts'

/** Rows of one statement: few enough to lock for a moment only. */
export const batchSize = 500

export interface BatchDeps {
  clock: Clock
  metrics: Pick<SenderMetrics, 'found'>
  log: Logger
}

/** Changes rows of the ledger until there are no more of their kind. */
export const inBatches = async (
  { clock, metrics, log }: BatchDeps,
  reason: 'abandoned' | 'expired' | 'sweep',
  beat: () => void,
  change: (options: { limit: number; now: number }) => Promise<number>,
): Promise<void> => {
  for (let changed = batchSize; changed === batchSize; ) {
    changed = await change({ limit: batchSize, now: clock.now() })
    beat()
    metrics.found.inc({ reason }, changed)
    if (changed > 0) log.info({ kind: reason, records: changed }, 'deliveries moved on')
  }
}
