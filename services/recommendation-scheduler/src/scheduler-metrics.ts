import { refusalReasons } from '@dropbell/notification-producer/decision'
import { createCounter, createHistogram, latencyBuckets } from '@dropbell/shared/metrics'
import { Gauge, type Registry } from 'prom-client'

/** How a request to the recommendation API ended, or that none was made because it is down. */
export const apiFailures = ['timeout', 'unavailable', 'refused', 'nonsense', 'held-back'] as const

export type ApiFailure = (typeof apiFailures)[number]

/** How a run ended, or why there was none. */
export const runResults = ['done', 'paused', 'failed', 'lost', 'locked', 'redis-unavailable', 'missed'] as const

export type SchedulerMetrics = ReturnType<typeof createSchedulerMetrics>

export const createSchedulerMetrics = (registry: Registry, now: () => number = () => performance.now()) => {
  let lockedSince: number | undefined
  new Gauge({
    name: 'dropbell_recommendation_lock_held_seconds',
    help: 'For how long this instance has held the lock of the batch; 0 while it does not.',
    registers: [registry],
    collect() {
      this.set(lockedSince === undefined ? 0 : (now() - lockedSince) / 1_000)
    },
  })
  return {
    lockHeld: (held: boolean): void => {
      lockedSince = held ? now() : undefined
    },
    runs: createCounter(registry, {
      name: 'dropbell_recommendation_runs_total',
      help: 'Daily batches by how they ended, or why there was none: locked by another instance, no Redis to lock in, missed.',
      labels: { result: runResults },
    }),
    users: createCounter(registry, {
      name: 'dropbell_recommendation_users_total',
      help: 'Users of the daily batch: seen, and what became of them; refused ones by reason.',
      labels: { result: ['seen', 'sent', 'nothing', 'left-out', 'unusable', ...refusalReasons] },
    }),
    leftOut: createCounter(registry, {
      name: 'dropbell_recommendation_left_out_total',
      help: 'Users left to another run because nobody could say what to recommend to them.',
      labels: { reason: apiFailures },
    }),
    apiSeconds: createHistogram(registry, {
      name: 'dropbell_recommendation_api_seconds',
      help: 'How long the recommendation API took for a user, by how it ended; each attempt counts.',
      labels: { result: ['ok', ...apiFailures.filter((failure) => failure !== 'held-back')] },
      buckets: latencyBuckets,
    }),
    breaker: createCounter(registry, {
      name: 'dropbell_recommendation_api_breaker_total',
      help: 'How often the recommendation API was found to be down, and back.',
      labels: { state: ['open', 'closed'] },
    }),
    lastSuccess: new Gauge({
      name: 'dropbell_recommendation_last_success_timestamp_seconds',
      help: 'When a daily batch last came to its end, on any instance; 0 if none is known.',
      registers: [registry],
    }),
  }
}
