import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { beginRun } from '@dropbell/database/recommendations/begin-run'
import { endRun } from '@dropbell/database/recommendations/end-run'
import { readLiveRun } from '@dropbell/database/recommendations/read-live-run'
import { readRun } from '@dropbell/database/recommendations/read-run'
import { DropbellError } from '@dropbell/shared/errors'
import type { HeldLock, Lock } from '@dropbell/shared/redis/lock'
import type { Pool } from 'pg'
import type { RecommendationConfig } from './config.ts'

export interface StartRequest {
  readonly day: string
  /** Of a run that is new: from when its audience is reckoned. */
  readonly asOf: number
  /** Whether to take it from a holder that has not been heard of for too long, lock or not. */
  readonly takeOver: boolean
}

/** Why a run is not begun. */
export type NotAcquired =
  /** It came to its end, and nobody was left out. */
  | { readonly kind: 'nothing-to-do'; readonly run: RecommendationRunRow }
  | { readonly kind: 'under-way'; readonly run: RecommendationRunRow }
  /** To be taken over, and its holder was heard of lately. */
  | { readonly kind: 'not-stale'; readonly run: RecommendationRunRow; readonly retryAfterMs: number }
  | { readonly kind: 'locked'; readonly run: RecommendationRunRow | undefined; readonly retryAfterMs: number }

/** A run that is ours, behind a fence of its own. */
export interface Acquired {
  readonly kind: 'acquired'
  readonly run: RecommendationRunRow
  readonly held: HeldLock
}

export interface AcquireDeps {
  pool: Pool
  lock: Lock
  config: Pick<RecommendationConfig, 'RECOMMENDATION_HEARTBEAT_TIMEOUT_MS'>
  clock: { now(): number }
}

export interface AcquireRun {
  /** Rejects when Redis or Postgres cannot say. */
  acquire(request: StartRequest): Promise<Acquired | NotAcquired>
  /** What there is to say to somebody who cannot have it. */
  explain(request: Pick<StartRequest, 'day' | 'takeOver'>): Promise<NotAcquired>
}

/**
 * The lock keeps instances from beginning together; the fence in Postgres keeps whoever lost the run from going on with it. A
 * run under way is only taken from a holder without a heartbeat, whoever has the lock.
 */
export const createAcquireRun = ({ pool, lock, config, clock }: AcquireDeps): AcquireRun => {
  const staleMs = config.RECOMMENDATION_HEARTBEAT_TIMEOUT_MS
  const begin = ({ day, asOf }: StartRequest) => beginRun(pool, { day, asOf, staleMs, now: clock.now() })

  const notStale = (run: RecommendationRunRow): NotAcquired => {
    return { kind: 'not-stale', run, retryAfterMs: Math.max(0, Math.ceil(staleMs - run.heartbeat_age_ms)) }
  }

  const takeOver = async (request: StartRequest): Promise<Acquired | NotAcquired | undefined> => {
    // There is one lock for all days: it is not taken from a holder who is alive.
    const other = await readLiveRun(pool, { day: request.day, staleMs })
    if (other !== undefined) return notStale(other)
    // The fence first: from here on the old holder can commit nothing, whatever becomes of the lock.
    const run = await begin(request)
    if (run === undefined) return undefined
    try {
      return { kind: 'acquired', run, held: await lock.seize() }
    } catch (error) {
      await endRun(pool, run, { status: 'FAILED', reason: codeOf(error), now: clock.now() })
      throw error
    }
  }

  const begins = async (request: StartRequest): Promise<Acquired | undefined> => {
    const held = await lock.tryAcquire()
    if (held === undefined) return undefined
    try {
      const run = await begin(request)
      if (run !== undefined) return { kind: 'acquired', run, held }
    } catch (error) {
      await held.release({ atOnce: true }).catch(() => {})
      throw error
    }
    await held.release({ atOnce: true })
    return undefined
  }

  const explain: AcquireRun['explain'] = async (request) => {
    const run = await readRun(pool, request.day)
    if (run?.status === 'DONE' && run.left_out === 0) return { kind: 'nothing-to-do', run }
    if (run?.status !== 'RUNNING') return { kind: 'locked', run, retryAfterMs: await lock.remainingMs() }
    if (!request.takeOver) return { kind: 'under-way', run }
    return notStale(run)
  }

  return {
    acquire: async (request) =>
      (await (request.takeOver ? takeOver(request) : begins(request))) ?? (await explain(request)),
    explain,
  }
}

/** What is on record as the reason of a failure. */
export const codeOf = (error: unknown): string => (error instanceof DropbellError ? error.code : 'UNEXPECTED')
