import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { readRun } from '@dropbell/database/recommendations/read-run'
import type { NotificationConfig } from '@dropbell/notification-producer/config'
import { expiryOf } from '@dropbell/notification-producer/notification-validity'
import {
  daySchema,
  type RunAnswer,
  type RunReport,
  runPaths,
  runRequestSchema,
  todaysRun,
} from '@dropbell/schemas/recommendation-runs'
import { TransientError } from '@dropbell/shared/errors'
import type { OperationsAnswer, OperationsRoute } from '@dropbell/shared/operations-routes'
import type { Pool } from 'pg'
import { type NotBegunDeps, recordNotBegun } from './record-not-begun.ts'
import type { RunSchedule } from './run-schedule.ts'
import type { Runs, StartResult } from './runs.ts'

export interface RunRoutesDeps extends NotBegunDeps {
  token: string
  runs: Pick<Runs, 'start'>
  schedule: RunSchedule
  pool: Pool
  config: NotificationConfig
  clock: { now(): number }
}

/** By hand: begin the run of a day or go on with it, and look at it. */
export const createRunRoutes = (deps: RunRoutesDeps): OperationsRoute[] => {
  const { token, pool, schedule, clock } = deps
  return [
    { method: 'POST', path: runPaths.runs, token, handle: ({ body }) => answering(() => start(deps, body)) },
    {
      method: 'GET',
      path: `${runPaths.runs}/:day`,
      token,
      handle: ({ params }) =>
        answering(async () => {
          const day = daySchema.safeParse(params.day === todaysRun ? schedule.dayOf(clock.now()) : params.day)
          if (!day.success) return refuse(400, 'a day is written YYYY-MM-DD, or today')
          const run = await readRun(pool, day.data)
          return run ? { status: 200, body: reportOf(run) } : refuse(404, `there was no run on ${day.data}`)
        }),
    },
  ]
}

const start = async (deps: RunRoutesDeps, body: unknown): Promise<OperationsAnswer> => {
  const { schedule, config, clock } = deps
  const request = runRequestSchema.safeParse(body ?? {})
  if (!request.success) return refuse(400, 'expected { "day": "YYYY-MM-DD", "takeOver": true or false }, both optional')
  const now = clock.now()
  const today = schedule.dayOf(now)
  const { day = today, takeOver } = request.data
  if (day > today) return refuse(422, `${day} has not come yet`)
  const at = schedule.ofDay(day)?.at ?? (day === today ? now : undefined)
  if (at === undefined) return refuse(422, `nothing is scheduled on ${day}`)
  // Before its time, what users did until now counts.
  const asOf = Math.min(at, now)
  if (now > expiryOf(config, 'RECOMMENDATION', asOf)) return refuse(422, `recommendations of ${day} have expired`)
  try {
    return answerTo(await deps.runs.start({ day, asOf, takeOver }))
  } catch (error) {
    recordNotBegun(error, 'recommendation run asked for by hand not begun', deps)
    throw error
  }
}

const answerTo = (result: StartResult): OperationsAnswer => {
  const { kind, run } = result
  const retryAfterMs = 'retryAfterMs' in result ? result.retryAfterMs : undefined
  const body: RunAnswer = {
    result: kind,
    run: run ? reportOf(run) : null,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }
  return { status: kind === 'started' ? 202 : kind === 'nothing-to-do' ? 200 : 409, body, headers }
}

const answering = async (answer: () => Promise<OperationsAnswer>): Promise<OperationsAnswer> => {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof TransientError) return refuse(503, `${error.dependency ?? 'an engine'} cannot be asked now`)
    throw error
  }
}

const refuse = (status: number, message: string): OperationsAnswer => ({ status, body: { message } })

export const reportOf = (run: RecommendationRunRow): RunReport => ({
  day: run.day,
  status: run.status,
  reason: run.reason,
  expected: run.expected,
  users: run.users,
  sent: run.sent,
  nothing: run.nothing,
  refused: run.refused,
  leftOut: run.left_out,
  fence: run.fence,
  startedAt: run.started_at.toISOString(),
  endedAt: run.ended_at?.toISOString() ?? null,
  heartbeatAgeMs: Math.round(run.heartbeat_age_ms),
})
