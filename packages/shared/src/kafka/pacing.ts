import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../log.ts'
import { createCounter } from '../metrics.ts'
import { sleep } from './consumer/sleep.ts'
import type { ConsumerLag } from './consumer-lag.ts'

export interface Pacer {
  /**
   * Resolves to true when `records` more may be published. While they may not, `keepWaiting` is asked again and again:
   * whoever waits tells that it is alive there, and may call it off, which resolves to false.
   */
  wait(records: number, keepWaiting: () => Promise<boolean>): Promise<boolean>
}

export interface PacerOptions {
  lag: Pick<ConsumerLag, 'read'>
  /** 0 never waits. */
  maxLag: number
  registry: Registry
  log: Logger
  /** How old what is known of the lag may be before it is looked at again. */
  intervalMs?: number
}

/**
 * Keeps those who publish much from running ahead of those who read it. After a look at the lag as much may be published
 * as there is room below the bound; when that is used up it looks again. So the bound is kept to within one call of
 * `wait` per process, and a look costs nothing to whoever stays below.
 */
export const createPacer = ({ lag, maxLag, registry, log, intervalMs = 100 }: PacerOptions): Pacer => {
  const { lagRecords, waitedSeconds } = createPacingMetrics(registry)
  let room = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  let isBehind = false

  const look = async (): Promise<void> => {
    await sleep(lookedAt + intervalMs - performance.now(), neverAborted)
    const records = await lag.read()
    lookedAt = performance.now()
    lagRecords.set(records)
    room = maxLag - records
    if (isBehind !== room <= 0) log.info({ records }, isBehind ? 'no longer paced' : 'paced: too much waits to be read')
    isBehind = room <= 0
  }
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    wait: async (records, keepWaiting) => {
      if (maxLag === 0) return true
      const since = performance.now()
      try {
        // Whoever waits beside may have taken the room that a look has found.
        while (room <= 0) {
          if (!(await keepWaiting())) return false
          await lookOnce()
        }
        room -= records
        return true
      } finally {
        waitedSeconds.inc((performance.now() - since) / 1_000)
      }
    },
  }
}

const neverAborted = new AbortController().signal

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
