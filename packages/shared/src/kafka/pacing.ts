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
  /** Whatever is not settled yet will not be published, and nothing else is let through. */
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

// What was seen longer ago says nothing any more.
const believedForMs = 1_000

/**
 * After a look at the lag as much is let through as there is room below the bound, less what was let through before and is
 * not in the topic yet; when that is used up, or a second old, it looks again. So one process keeps the bound to within one
 * part, and several may each fill the room that they saw. A lag that cannot be read leaves no room.
 */
export const createPacer = ({ lag, maxLag, registry, log, intervalMs = 200 }: PacerOptions): Pacer => {
  const { lagRecords, waitedSeconds } = createPacingMetrics(registry)
  let room = 0
  let roomUntil = 0
  let onTheWay = 0
  // Whether another look may find what the last one did not.
  let mayDiffer = true
  let isPaced = false
  let looking: Promise<void> | undefined
  let change = new AbortController()

  const look = async (): Promise<void> => {
    if (!mayDiffer) await sleep(intervalMs, change.signal)
    const unseen = onTheWay
    mayDiffer = false
    try {
      const records = await lag.read()
      lagRecords.set(records)
      room = maxLag - records - unseen
      roomUntil = performance.now() + believedForMs
      mayDiffer ||= room > 0
      if (records < maxLag && isPaced) log.info({ records }, 'no longer paced')
      if (records >= maxLag && !isPaced) log.info({ records }, 'paced: too much waits to be read')
      isPaced = records >= maxLag
    } catch (err) {
      room = 0
      if (!isPaced) log.warn({ err }, 'paced: how much waits to be read is not known')
      isPaced = true
    }
  }
  const hasRoom = (): boolean => room > 0 && performance.now() < roomUntil
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  const begin = (): Pacing => {
    let own = 0
    let ended = false
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
          while (!ended && !hasRoom()) {
            if (!(await keepWaiting())) return false
            await lookOnce()
          }
          // Nobody would settle what is let through now.
          if (ended) return false
          room -= records
          own += records
          onTheWay += records
          return true
        } finally {
          waitedSeconds.inc((performance.now() - since) / 1_000)
        }
      },
      settled,
      end: () => {
        ended = true
        settled(own)
      },
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
