import type { Registry } from 'prom-client'
import { DropbellError, TransientError } from './errors.ts'
import { createHistogram, latencyBuckets } from './metrics.ts'
import { defaultProbeTimeoutMs, type Probe } from './probe.ts'
import { redactCredentials } from './redact-credentials.ts'
import { withDeadline } from './with-deadline.ts'

export interface DependencyState {
  status: 'up' | 'down'
  latencyMs: number
  error?: string
}

export interface DependencyCheckOptions {
  registry: Registry
  dependencies: Readonly<Record<string, Probe>>
  timeoutMs?: number | undefined
}

// A little more than the probes allow themselves: this is for one that forgot to.
const defaultTimeoutMs = defaultProbeTimeoutMs + 500

/** Probes all dependencies side by side; a slow one is down after its time and delays no other. */
export const createDependencyCheck = ({
  registry,
  dependencies,
  timeoutMs = defaultTimeoutMs,
}: DependencyCheckOptions): (() => Promise<Record<string, DependencyState>>) => {
  const duration = createHistogram(registry, {
    name: 'dropbell_dependency_probe_seconds',
    help: 'How long dependencies took to answer their probe, or not to.',
    labels: { dependency: Object.keys(dependencies), status: ['up', 'down'] },
    buckets: latencyBuckets,
  })
  const probes = Object.entries(dependencies).map(([dependency, probe]) => ({ dependency, probe: singleFlight(probe) }))

  const check = async (dependency: string, probe: Probe): Promise<[string, DependencyState]> => {
    const startedAt = performance.now()
    const settle = (status: 'up' | 'down', error?: string): [string, DependencyState] => {
      const latencyMs = performance.now() - startedAt
      duration.observe({ dependency, status }, latencyMs / 1_000)
      return [dependency, { status, latencyMs: Math.round(latencyMs * 10) / 10, ...(error !== undefined && { error }) }]
    }
    try {
      await withDeadline(probe(), timeoutMs, () => new TransientError('PROBE_TIMEOUT', `no answer in ${timeoutMs} ms`))
      return settle('up')
    } catch (error) {
      return settle('down', publicReason(error))
    }
  }

  return async () =>
    Object.fromEntries(await Promise.all(probes.map(({ dependency, probe }) => check(dependency, probe))))
}

/** Whoever asks while a probe is under way waits for that one: many askers do not become load on an engine in trouble. */
const singleFlight = (probe: Probe): Probe => {
  let underWay: Promise<void> | undefined
  return () => {
    underWay ??= probe().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** Only words of our own adapters are shown to whoever asks; those of strangers may contain anything. */
const publicReason = (error: unknown): string =>
  error instanceof DropbellError ? redactCredentials(`${error.code}: ${error.message}`) : 'PROBE_FAILED'
