import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { type RecommendationRunRow, runColumns } from '../recommendation-run-row.ts'

const text = `
  SELECT ${runColumns} FROM recommendation_runs
  WHERE status = 'RUNNING' AND day <> $1 AND heartbeat_at >= now() - $2 * interval '1 ms'
  ORDER BY day DESC
  LIMIT 1
`

export interface OtherDays {
  readonly day: string
  readonly staleMs: number
}

/** The run of another day whose holder was heard of lately. */
export const readLiveRun = async (
  pool: Pool,
  { day, staleMs }: OtherDays,
): Promise<RecommendationRunRow | undefined> => {
  const { rows } = await askPostgres(() => pool.query<RecommendationRunRow>(text, [day, staleMs]))
  return rows[0]
}
