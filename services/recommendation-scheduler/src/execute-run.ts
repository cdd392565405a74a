import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { endRun, type RunEnding } from '@dropbell/database/recommendations/end-run'
import { forgetLeftOut } from '@dropbell/database/recommendations/forget-left-out'
import { keepRun } from '@dropbell/database/recommendations/keep-run'
import type { Logger } from '@dropbell/shared/log'
import type { HeldLock } from '@dropbell/shared/redis/lock'
import type { Pool } from 'pg'
import { codeOf } from './acquire-run.ts'
import type { ActiveUsers } from './active-users.ts'
import type { RecommendationConfig } from './config.ts'
import { retryTransient } from './retry-transient.ts'
import type { RunBatch } from './run-batch.ts'
import { RunLost } from './run-lost.ts'
import type { SchedulerMetrics } from './scheduler-metrics.ts'

export interface ExecuteDeps {
  pool: Pool
  runBatch: RunBatch
  activeUsers: Pick<ActiveUsers, 'estimate'>
  config: Pick<RecommendationConfig, 'RECOMMENDATION_HEARTBEAT_TIMEOUT_MS'>
  clock: { now(): number }
  metrics: Pick<SchedulerMetrics, 'lockHeld' | 'runs' | 'lastSuccess'>
  log: Logger
}

/** Never rejects: however a run ends is on record, counted and logged. It ends early when `halt` is aborted. */
export type ExecuteRun = (run: RecommendationRunRow, held: HeldLock, halt: AbortSignal) => Promise<void>

/** Why a run stops before its end though nothing failed. */
const stopping = Symbol('stopping')

type Ending = Pick<RunEnding, 'status' | 'reason'>

const endings = {
  done: { status: 'DONE', reason: null },
  'pacing-deadline': { status: 'PAUSED', reason: 'PACING_DEADLINE' },
} as const satisfies Record<string, Ending>

const resultOf = { DONE: 'done', PAUSED: 'paused', FAILED: 'failed' } as const

export const createExecuteRun = (deps: ExecuteDeps): ExecuteRun => {
  const { pool, clock, metrics, log } = deps

  /** What a run can do without: how many users there are, and what of old runs is of no use. */
  const prepare = async (run: RecommendationRunRow, signal: AbortSignal): Promise<void> => {
    log.info({ day: run.day, fence: run.fence, users: run.users }, 'recommendation run begins')
    try {
      await forgetLeftOut(pool, run.day)
      if (run.expected !== null) return
      await keepRun(pool, run, { expected: await deps.activeUsers.estimate(run.as_of.getTime(), signal) })
    } catch (err) {
      log.warn({ err }, 'recommendation run not prepared, it begins anyway')
    }
  }

  const conclude = async (run: RecommendationRunRow, ending: Ending): Promise<void> => {
    // Whatever stops the run, how it ended is to be on record.
    const { signal } = new AbortController()
    const ended = await retryTransient(() => endRun(pool, run, { ...ending, now: clock.now() }), signal)
    if (ended === undefined) throw new RunLost('the run belongs to somebody else')
    const { day, fence, reason, users, sent, nothing, refused, left_out: leftOut } = ended
    const { status } = ending
    metrics.runs.inc({ result: resultOf[status] })
    if (status === 'DONE') metrics.lastSuccess.set(clock.now() / 1_000)
    const level = status === 'FAILED' ? 'error' : status === 'PAUSED' || leftOut > 0 ? 'warn' : 'info'
    const counts = { users, sent, nothing, refused, leftOut }
    log[level]({ day, fence, outcome: status, reason, ...counts }, 'recommendation run ended')
  }

  const concludeEarly = async (run: RecommendationRunRow, why: unknown): Promise<void> => {
    const { day, fence } = run
    try {
      if (why === stopping) return await conclude(run, { status: 'PAUSED', reason: 'STOPPING' })
      log.error({ err: why, day, fence }, 'recommendation run failed')
      // A holder that lost its lock alone may still have its fence: then the run is free for the next.
      await conclude(run, { status: why instanceof RunLost ? 'PAUSED' : 'FAILED', reason: codeOf(why) })
    } catch (err) {
      const isLost = err instanceof RunLost
      metrics.runs.inc({ result: isLost ? 'lost' : 'failed' })
      if (!isLost) log.error({ err, day, fence }, 'how the recommendation run ended is not on record')
    }
  }

  return async (run, held, halt) => {
    const over = watchOver(run, held, halt, deps)
    metrics.lockHeld(true)
    try {
      await prepare(run, over.signal)
      await conclude(run, endings[await deps.runBatch(run, over)])
    } catch (error) {
      await concludeEarly(run, over.signal.aborted ? over.signal.reason : error)
    } finally {
      over.end()
      metrics.lockHeld(false)
      await held.release().catch((err) => log.warn({ err }, 'lock of the run not released'))
    }
  }
}

/** Shows that the run is alive, and notices when it is to stop or is somebody else's. */
const watchOver = (
  run: RecommendationRunRow,
  held: HeldLock,
  halt: AbortSignal,
  { pool, config, log }: Pick<ExecuteDeps, 'pool' | 'config' | 'log'>,
) => {
  const over = new AbortController()
  const stop = (): void => over.abort(stopping)
  const lose = (): void => over.abort(new RunLost('the lock was lost'))
  const beat = async (): Promise<void> => {
    try {
      if (!(await keepRun(pool, run))) over.abort(new RunLost('the run belongs to somebody else'))
    } catch (err) {
      log.warn({ err }, 'heartbeat of the run not written')
    }
  }
  halt.addEventListener('abort', stop)
  held.lost.addEventListener('abort', lose)
  if (halt.aborted) stop()
  const beating = setInterval(() => void beat(), config.RECOMMENDATION_HEARTBEAT_TIMEOUT_MS / 6)
  return {
    signal: over.signal,
    assertHeld: (): void => {
      if (!held.isHeld()) throw new RunLost('the lock was lost')
    },
    end: (): void => {
      clearInterval(beating)
      halt.removeEventListener('abort', stop)
      held.lost.removeEventListener('abort', lose)
    },
  }
}
