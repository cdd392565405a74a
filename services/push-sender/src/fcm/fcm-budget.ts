import type { Logger } from '@dropbell/shared/log'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { Redis } from 'ioredis'
import type { TrafficKind } from '../provider.ts'
import type { FcmConfig } from './config.ts'
import { defineBudgetScripts } from './fcm-budget-script.ts'
import { burstOf, createTokenBucket } from './token-bucket.ts'

export interface BudgetAnswer {
  readonly granted: number
  readonly retryAfterMs: number
  /** Why not all, if not all. */
  readonly limit?: 'budget' | 'pause' | 'redis'
}

export interface FcmBudget {
  reserve(wanted: number, kind: TrafficKind): Promise<BudgetAnswer>
  /** FCM answered 429: nobody sends for so long, on any instance. Never rejects. */
  pause(pauseMs: number): Promise<void>
  /** As far as this instance knows. */
  pausedForMs(): number
}

export interface FcmBudgetOptions {
  client: Redis
  config: Pick<FcmConfig, 'FCM_MAX_PER_SECOND' | 'FCM_LOCAL_MAX_PER_SECOND'>
  log: Logger
  /** One budget per Firebase project, which is what FCM counts by. */
  projectId: string
  keyPrefix?: string
}

/** A sender that waits longer for its budget than for FCM would be slower than without one. */
const answerTimeoutMs = 500
const askAgainMs = 1_000
const noticeableMs = 1_000

export const createFcmBudget = ({
  client,
  config,
  log,
  projectId,
  keyPrefix = 'dropbell',
}: FcmBudgetOptions): FcmBudget => {
  defineBudgetScripts(client)
  const { FCM_MAX_PER_SECOND: perSecond } = config
  // One hash tag: a script may only touch keys of one node of a cluster.
  const bucketKey = `${keyPrefix}:{fcm:${projectId}}:budget`
  const pauseKey = `${keyPrefix}:{fcm:${projectId}}:pause`
  const localShare = createTokenBucket(Math.min(perSecond, config.FCM_LOCAL_MAX_PER_SECOND))
  let pausedUntil = 0
  /** Whether Redis knows of it: then Redis, which counts it down for all, also says when it is over. */
  let pauseIsShared = true

  const pausedForMs = (): number => Math.max(0, pausedUntil - Date.now())
  const pauseHere = (pauseMs: number): void => {
    pausedUntil = Math.max(pausedUntil, Date.now() + pauseMs)
  }

  const pausedHere = (): BudgetAnswer => ({ granted: 0, retryAfterMs: pausedForMs(), limit: 'pause' })

  const withoutRedis = (wanted: number, kind: TrafficKind): BudgetAnswer => {
    if (pausedForMs() > 0) return pausedHere()
    if (kind === 'promotional') return { granted: 0, retryAfterMs: askAgainMs, limit: 'redis' }
    return { ...localShare.take(wanted), limit: 'redis' }
  }

  return {
    pausedForMs,
    reserve: async (wanted, kind) => {
      if (wanted <= 0) return { granted: 0, retryAfterMs: 0 }
      if (!pauseIsShared && pausedForMs() > 0) return pausedHere()
      try {
        const asked = client.fcmReserve(bucketKey, pauseKey, perSecond, burstOf(perSecond), wanted)
        const [granted, retryAfterMs, paused] = await withDeadline(asked, answerTimeoutMs, () => new Error('too late'))
        if (paused === 1) pauseHere(retryAfterMs)
        else if (pauseIsShared) pausedUntil = 0
        if (granted === wanted) return { granted, retryAfterMs: 0 }
        return { granted, retryAfterMs, limit: paused === 1 ? 'pause' : 'budget' }
      } catch (err) {
        log.warn({ err, dependency: 'redis' }, 'redis did not answer for the budget of FCM')
        return withoutRedis(wanted, kind)
      }
    },
    pause: async (pauseMs) => {
      // All messages that are under way are answered 429 too: telling the others once is enough.
      if (pausedForMs() > Math.max(0, pauseMs - noticeableMs)) return
      pauseHere(pauseMs)
      pauseIsShared = false
      try {
        await withDeadline(client.fcmPause(pauseKey, pauseMs), answerTimeoutMs, () => new Error('too late'))
        pauseIsShared = true
      } catch (err) {
        log.warn({ err, dependency: 'redis' }, 'other instances do not know that FCM wants a pause')
      }
    },
  }
}
