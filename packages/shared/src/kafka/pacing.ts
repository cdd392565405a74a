import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../log.ts'
import { createCounter } from '../metrics.ts'
import { sleep } from './consumer/sleep.ts'
import type { ConsumerLag } from './consumer-lag.ts'

/** Keeps those who publish much from running ahead of those who read it. */
export interface Pacer {
  begin(): Pacing
}

/** For one fan-out or batch. */
export interface Pacing {
  /**
   * Resolves to true when `records` more may be published. While they may not, `keepWaiting` is asked again and again:
   * whoever waits tells that it is alive there, and may call it off, which resolves to false.
   */
  wait(records: number, keepWaiting: () => Promise<boolean>): Promise<boolean>
  /** So many of those are published, or will not be: the lag says the rest. */
  settled(records: number): void
  /** Whatever is not settled yet will not be published. */
  end(): void
}

export interface PacerOptions {
  lag: Pick<ConsumerLag, 'read'>
  /** 0 never waits. */
  maxLag: number
  registry: Registry
  log: Logger
  /** How long to wait between two looks while there is no room, unless something is published meanwhile. */
  intervalMs?: number
}

/**
 * After a look at the lag as much is let through as there is room below the bound, less what was let through before and is
 * not in the topic yet; when that is used up it looks again. So the bound is kept to within one part per process, and
 * whoever stays below it costs one look per `maxLag` records.
 */
export const createPacer = ({ lag, maxLag, registry, log, intervalMs = 200 }: PacerOptions): Pacer => {
  const { lagRecords, waitedSeconds } = createPacingMetrics(registry)
  let room = 0
  let onTheWay = 0
  // Whether another look may find what the last one did not.
  let mayDiffer = true
  let isBehind = false
  let looking: Promise<void> | undefined
  let change = new AbortController()

  const look = async (): Promise<void> => {
    if (!mayDiffer) await sleep(intervalMs, change.signal)
    const unseen = onTheWay
    mayDiffer = false
    const records = await lag.read()
    lagRecords.set(records)
    room = maxLag - records - unseen
    mayDiffer ||= room > 0
    if (isBehind !== records >= maxLag) {
      isBehind = !isBehind
      log.info({ records }, isBehind ? 'paced: too much waits to be read' : 'no longer paced')
    }
  }
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  const begin = (): Pacing => {
    let own = 0
    const settled = (records: number): void => {
      own -= records
      onTheWay -= records
      mayDiffer = true
      change.abort()
      change = new AbortController()
    }
    return {
      wait: async (records, keepWaiting) => {
        const since = performance.now()
        try {
          // Whoever waits beside may have taken the room that a look has found.
          while (room <= 0) {
            if (!(await keepWaiting())) return false
            await lookOnce()
          }
          room -= records
          own += records
          onTheWay += records
          return true
        } finally {
          waitedSeconds.inc((performance.now() - since) / 1_000)
        }
      },
      settled,
      end: () => settled(own),
    }
  }
  return { begin: maxLag === 0 ? () => unpaced : begin }
}

const unpaced: Pacing = { wait: async () => true, settled: () => {}, end: () => {} }

export const createPacingMetrics = (registry: Registry) => ({
  lagRecords: new Gauge({
    name: 'dropbell_pacing_lag_records',
    help: 'How far the paced-by group was behind when it was last looked at.',
    registers: [registry],
  }),
  waitedSeconds: createCounter(registry, {
    name: 'dropbell_pacing_waited_seconds_total',
    help: 'Time that fan-outs and batches spent waiting for the group that reads what they publish.',
    labels: {},
  }),
})
