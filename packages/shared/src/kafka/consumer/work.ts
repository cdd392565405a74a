import { type Sleep, sleep } from './sleep.ts'

export interface Work {
  /** Aborted when the time for work in hand is up. */
  readonly signal: AbortSignal
  /** Something has been done: the group is told that this consumer is alive. Never rejects. */
  progress(): Promise<void>
  /** Whether to begin nothing new. What is in hand may be finished until `signal` is aborted. */
  isInterrupted(): boolean
  /** Waits on purpose, which counts as progress; ends early when interrupted. */
  wait(ms: number): Promise<void>
}

export interface OwnedWork extends Work {
  isCurrent(): boolean
  interrupt(): void
  /** Why the group could not be told, if it could not: a rebalance, a lost membership, a lost broker. */
  failure(): unknown
  idleMs(): number
  end(): void
}

export interface WorkOptions {
  heartbeat(): Promise<void>
  /** Whether the batch is still this consumer's. */
  isCurrent(): boolean
  heartbeatIntervalMs: number
  drainTimeoutMs: number
  sleep?: Sleep
}

/**
 * The time a consumer has for a batch. It runs until a heartbeat fails or somebody interrupts; then what is in hand has
 * `drainTimeoutMs` to finish before it is aborted. Heartbeats are sent when something has been done, never by a timer.
 */
export const createWork = ({ sleep: pause = sleep, ...options }: WorkOptions): OwnedWork => {
  const { heartbeat, isCurrent, heartbeatIntervalMs, drainTimeoutMs } = options
  const interruption = new AbortController()
  const abortion = new AbortController()
  let drain: NodeJS.Timeout | undefined
  let ended = false
  let failure: unknown
  let progressAt = performance.now()

  const interrupt = (): void => {
    if (interruption.signal.aborted) return
    interruption.abort()
    drain = setTimeout(() => abortion.abort(), drainTimeoutMs)
  }
  const isInterrupted = (): boolean => interruption.signal.aborted || !isCurrent()
  const progress = async (): Promise<void> => {
    progressAt = performance.now()
    // A handler that was given up may still report progress; it keeps nobody alive.
    if (failure !== undefined || ended) return
    try {
      await heartbeat()
    } catch (error) {
      failure ??= error
      interrupt()
    }
  }

  return {
    signal: abortion.signal,
    progress,
    isInterrupted,
    isCurrent,
    wait: async (ms) => {
      // More often than heartbeats are due, so that none is late by a whole interval.
      const step = heartbeatIntervalMs / 2
      let left = ms
      do {
        await pause(Math.min(left, step), interruption.signal)
        await progress()
        left -= step
      } while (left > 0 && !isInterrupted())
    },
    interrupt,
    failure: () => failure,
    idleMs: () => performance.now() - progressAt,
    end: () => {
      ended = true
      clearTimeout(drain)
    },
  }
}
