import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type RunReport,
  runAnswerSchema,
  runPaths,
  runReportSchema,
  todaysRun,
} from '@dropbell/schemas/recommendation-runs'
import type { Environment } from '@dropbell/shared/config'
import type { Logger } from '@dropbell/shared/log'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { runRecommendationScheduler } from './run-services.ts'

/** By hand, at any hour: nothing happens by itself, and whoever is active by now counts. */
const byHand = { RECOMMENDATION_CATCH_UP_UNTIL: 'off', RECOMMENDATION_CRON: '59 59 23 * * *' }

/** One batch a day is all there is; a demo may come more often. */
export const forgetTodaysBatch = async (pool: Pool, redis: Redis): Promise<void> => {
  await pool.query('DELETE FROM recommendation_runs')
  await pool.query('DELETE FROM recommendation_left_out')
  await redis.del('dropbell:lock:dailyRecommendationBatch')
}

/** Starts the service, asks for the batch of today as an operator would, and waits for its end. */
export const showRecommendations = async (env: Environment, log: Logger): Promise<RunReport> => {
  const token = randomUUID()
  const scheduler = await runRecommendationScheduler({ ...env, ...byHand, RECOMMENDATION_TRIGGER_TOKEN: token }, log)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    const request = { method: 'POST', headers, body: '{}' }
    const { result } = runAnswerSchema.parse(await (await fetch(`${scheduler.url}${runPaths.runs}`, request)).json())
    if (result !== 'started') throw new Error(`The batch was not started: ${result}`)
    const deadline = Date.now() + 60_000
    for (;;) {
      const run = runReportSchema.parse(
        await (await fetch(`${scheduler.url}${runPaths.run(todaysRun)}`, { headers })).json(),
      )
      if (run.status !== 'RUNNING') return run
      if (Date.now() > deadline) throw new Error(`The batch did not end: ${JSON.stringify(run)}`)
      await delay(200)
    }
  } finally {
    await scheduler.stop()
  }
}

export const describeRecommendations = ({ day, status, users, sent, refused, leftOut }: RunReport): string =>
  [
    `${pad(users)} users were active, the batch of ${day} is ${status}`,
    `${pad(sent)} got recommendations`,
    ...Object.entries(refused).map(([reason, count]) => `${pad(count)} refused: ${reason}`),
    `${pad(leftOut)} left out for another run`,
  ].join('\n')

const pad = (count: number): string => String(count).padStart(5)
