import type { Logger } from '../../log.ts'
import type { Probe } from '../../probe.ts'
import type { ConsumerMetrics } from './consumer-metrics.ts'
import { type Sleep, sleep } from './sleep.ts'

export interface OutagePauseOptions {
  dependencies: Readonly<Record<string, Probe>>
  /** Stops and restarts fetching; the consumer stays in its group meanwhile. */
  suspend(): void
  resume(): void
  probeIntervalMs: number
  metrics: ConsumerMetrics
  log: Logger
  topic: string
  sleep?: Sleep
}

export interface OutagePause {
  isPaused(): boolean
  /** Several dependencies may be down at once; all of them are awaited. */
  begin(dependency: string): void
  /** Something worked again since the last pause. */
  succeeded(): void
  stop(): void
}

const maxFirstWaitMs = 30_000

/**
 * Running → `begin` → paused, until each of the awaited dependencies has answered its probe → running.
 *
 * An engine can answer its probe and still fail every request. So the first probe of a pause comes later with each
 * pause that follows another without a success in between: such an outage drips into the dead letters instead of
 * pouring. A dependency without a probe is taken to be back after that wait.
 */
export const createOutagePause = (options: OutagePauseOptions): OutagePause => {
  const { dependencies, suspend, resume, probeIntervalMs, metrics, log, topic, sleep: pause = sleep } = options
  const awaited = new Set<string>()
  const stopping = new AbortController()
  let inSuccession = 0

  const answers = async (dependency: string): Promise<boolean> => {
    try {
      await dependencies[dependency]?.()
      return true
    } catch (err) {
      log.debug({ err, dependency, topic }, 'dependency still down')
      return false
    }
  }

  const awaitDependencies = async (): Promise<void> => {
    const startedAt = performance.now()
    await pause(Math.min(probeIntervalMs * 2 ** (inSuccession - 1), maxFirstWaitMs), stopping.signal)
    while (awaited.size > 0 && !stopping.signal.aborted) {
      for (const dependency of [...awaited]) if (await answers(dependency)) awaited.delete(dependency)
      if (awaited.size > 0) await pause(probeIntervalMs, stopping.signal)
    }
    if (stopping.signal.aborted) return
    metrics.resumed()
    log.info({ topic, durationMs: Math.round(performance.now() - startedAt) }, 'consumer resumed')
    resume()
  }

  return {
    isPaused: () => awaited.size > 0,
    begin: (dependency) => {
      if (stopping.signal.aborted || awaited.has(dependency)) return
      const alreadyPaused = awaited.size > 0
      awaited.add(dependency)
      metrics.paused(dependency)
      log.warn({ topic, dependency }, 'consumer paused until its dependency answers')
      if (alreadyPaused) return
      inSuccession++
      suspend()
      void awaitDependencies()
    },
    succeeded: () => {
      inSuccession = 0
    },
    stop: () => stopping.abort(),
  }
}
