import { sleep } from '@dropbell/shared/kafka/consumer/sleep'
import type { Logger } from '@dropbell/shared/log'
import type { PollerName, SenderMetrics } from './sender-metrics.ts'

export interface PollerOptions {
  name: PollerName
  /** Calls `beat` each time it has got somewhere. */
  poll(signal: AbortSignal, beat: () => void): Promise<void>
  intervalMs: number
  metrics: Pick<SenderMetrics, 'polls'>
  log: Logger
}

export interface Poller {
  /** There is something to do now: the next round begins at once. */
  wake(): void
  /** Ends the round under way. */
  stop(): Promise<void>
  /** For /healthz. */
  isAlive(): boolean
}

/** A batch is sent within its deadline; a poller that gets nowhere for much longer hangs. */
const stuckAfterMs = 300_000

/** Rounds follow each other, never overlap, and go on after a failure. */
export const runPoller = ({ name, poll, intervalMs, metrics, log }: PollerOptions): Poller => {
  const stopping = new AbortController()
  let resting = new AbortController()
  let lastBeatAt = performance.now()
  const beat = (): void => {
    lastBeatAt = performance.now()
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Whoever calls during a round is not sure that the round has seen it: there will be another at once.
      resting = new AbortController()
      try {
        await poll(stopping.signal, beat)
        metrics.polls.inc({ poller: name, outcome: 'ok' })
      } catch (err) {
        metrics.polls.inc({ poller: name, outcome: 'failed' })
        log.warn({ err, kind: name }, 'delivery poll failed, the next one follows')
      }
      beat()
      await sleep(intervalMs, resting.signal)
    }
  }
  const ended = run()
  return {
    wake: () => resting.abort(),
    stop: () => {
      stopping.abort()
      resting.abort()
      return ended
    },
    isAlive: () => performance.now() - lastBeatAt < stuckAfterMs,
  }
}
