import { type Sleep, sleep } from '@dropbell/shared/kafka/consumer/sleep'

export interface Pace {
  /** How many to treat at once, so that a slow pace is smooth and a fast one has few transactions. */
  readonly batchSize: number
  /** Resolves when so many more may go; sooner if it is aborted. */
  take(count: number, signal: AbortSignal): Promise<void>
}

export interface PaceClock {
  now(): number
  sleep: Sleep
}

const realClock: PaceClock = { now: () => performance.now(), sleep }

const maxBatchSize = 500
const batchesPerSecond = 4

/** Never more than so many a second, counted from the first; time that was lost is not made up for in a burst. */
export const createPace = (perSecond: number | undefined, clock: PaceClock = realClock): Pace => {
  if (perSecond === undefined) return { batchSize: maxBatchSize, take: async () => {} }
  let next = Number.NEGATIVE_INFINITY
  return {
    batchSize: Math.min(maxBatchSize, Math.max(1, Math.floor(perSecond / batchesPerSecond))),
    take: async (count, signal) => {
      const begin = Math.max(next, clock.now())
      next = begin + (count / perSecond) * 1_000
      const waitMs = begin - clock.now()
      if (waitMs > 0) await clock.sleep(waitMs, signal)
    },
  }
}
