import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { type RecommendationRunRow, runColumns } from '../recommendation-run-row.ts'

const ofDay = `SELECT ${runColumns} FROM recommendation_runs WHERE day = $1`
const lastDone = `SELECT max(ended_at) AS ended_at FROM recommendation_runs WHERE status = 'DONE'`

const any = 'SELECT EXISTS (SELECT FROM recommendation_runs) AS found'

export const readRun = async (pool: Pool, day: string): Promise<RecommendationRunRow | undefined> => {
  const { rows } = await askPostgres(() => pool.query<RecommendationRunRow>(ofDay, [day]))
  return rows[0]
}

/** When the last run came to its end, in milliseconds since the epoch. */
export const readLastDone = async (pool: Pool): Promise<number | undefined> => {
  const { rows } = await askPostgres(() => pool.query<Pick<RecommendationRunRow, 'ended_at'>>(lastDone))
  return rows[0]?.ended_at?.getTime()
}

/** Whether there was ever a run. */
export const haveRuns = async (pool: Pool): Promise<boolean> => {
  const { rows } = await askPostgres(() => pool.query<{ found: boolean }>(any))
  return rows[0]?.found === true
}
