import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { haveRuns, readLastDone, readRun } from '@dropbell/database/recommendations/read-run'
import { sleep } from '@dropbell/shared/kafka/consumer/sleep'
import type { Logger } from '@dropbell/shared/log'
import type { Pool } from 'pg'
import type { RecommendationConfig } from './config.ts'
import { recordNotBegun } from './record-not-begun.ts'
import type { Due, RunSchedule } from './run-schedule.ts'
import type { Runs } from './runs.ts'
import type { SchedulerMetrics } from './scheduler-metrics.ts'

export interface WatchDeps {
  schedule: RunSchedule
  runs: Pick<Runs, 'start'>
  pool: Pool
  config: Pick<RecommendationConfig, 'RECOMMENDATION_HEARTBEAT_TIMEOUT_MS'>
  clock: { now(): number }
  metrics: Pick<SchedulerMetrics, 'runs' | 'lastSuccess'>
  log: Logger
  /** How often it is looked whether the run of the day was missed, or waits for somebody to go on with it. */
  lookAgainMs?: number
}

export interface ScheduleWatch {
  stop(): Promise<void>
  /** For /healthz. */
  isAlive(): boolean
}

const glanceMs = 250
const stuckAfterMs = 300_000
/** A process that slept for longer than this makes up for what it missed, if it may; it does not begin as if nothing had been. */
const lateMs = 300_000

/**
 * Begins the run of a day when its time comes, and goes on looking until it has come to its end or may no longer be made
 * up for: a run that was missed, was interrupted by a redeploy, failed for want of an engine, or whose holder died and lost
 * its lock, is taken up by whichever instance looks first.
 */
export const watchSchedule = (deps: WatchDeps): ScheduleWatch => {
  const { schedule, clock, metrics, log, lookAgainMs = 60_000 } = deps
  const stopping = new AbortController()
  let lastGlanceAt = performance.now()
  let seen: Due | undefined
  let isSettled = false
  let lookedAt = Number.NEGATIVE_INFINITY

  const glance = async (): Promise<void> => {
    const due = schedule.latest(clock.now())
    // A clock that was set back does not make yesterday due again.
    if (due === undefined || (seen !== undefined && due.at < seen.at)) return
    const isNew = due.at !== seen?.at
    if (isNew) isSettled = false
    if (!isNew && (isSettled || performance.now() - lookedAt < lookAgainMs)) return
    const isFirst = seen === undefined
    seen = due
    lookedAt = performance.now()
    await look(due, { isNew, isFirst })
  }

  const look = async (due: Due, { isNew, isFirst }: { isNew: boolean; isFirst: boolean }): Promise<void> => {
    const run = await readRun(deps.pool, due.day)
    const lastDone = await readLastDone(deps.pool)
    if (lastDone !== undefined) metrics.lastSuccess.set(lastDone / 1_000)
    const isOver = clock.now() >= due.catchUpUntil
    // Somebody may still run it again for left-out users, and die.
    isSettled = isOver && run?.status === 'DONE'
    if (run !== undefined && !isWaiting(run)) return
    const { day } = due
    const isTick = isNew && !isFirst && clock.now() - due.at < lateMs
    if (!isTick && isOver) {
      isSettled = true
      // Deployed for the first time: nothing that was to run did not.
      if (isFirst && run === undefined && !(await haveRuns(deps.pool))) {
        log.info({ day }, 'no recommendation run yet, the next one comes at its time')
        return
      }
      if (run === undefined || !isFirst) metrics.runs.inc({ result: 'missed' })
      log.error({ day }, 'recommendation run missed or unfinished: run it by hand')
      return
    }
    if (isFirst) log.warn({ day, outcome: run?.status ?? 'MISSED' }, 'recommendation run is due, catching up')
    const { kind } = await deps.runs.start({ day, asOf: due.at, takeOver: false })
    if (kind === 'started') return
    if (isTick) metrics.runs.inc({ result: 'locked' })
    log.debug({ day, outcome: kind }, 'recommendation run not begun')
  }

  const isWaiting = ({ status, heartbeat_age_ms: age }: RecommendationRunRow): boolean =>
    status === 'PAUSED' ||
    status === 'FAILED' ||
    (status === 'RUNNING' && age > deps.config.RECOMMENDATION_HEARTBEAT_TIMEOUT_MS)

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await glance()
      } catch (err) {
        recordNotBegun(err, 'recommendation run not begun, looked for again soon', deps)
      }
      lastGlanceAt = performance.now()
      await sleep(glanceMs, stopping.signal)
    }
  }
  const ended = watch()
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
    isAlive: () => performance.now() - lastGlanceAt < stuckAfterMs,
  }
}
