import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { type RecommendationRunRow, runColumns } from '../recommendation-run-row.ts'
import type { RunHolder } from './commit-page.ts'

/** RUNNING, ours → PAUSED, FAILED or DONE. Written twice, because nobody knows whether it was written, it changes nothing. */
export const endRunSql = `
  UPDATE recommendation_runs
  SET status = $3, reason = $4, ended_at = to_timestamp($5 / 1000.0),
      audience_read = audience_read OR $3 = 'DONE'
  WHERE day = $1 AND fence = $2 AND status IN ('RUNNING', $3)
  RETURNING ${runColumns}
`

export interface RunEnding {
  readonly status: Exclude<RecommendationRunRow['status'], 'RUNNING'>
  readonly reason: string | null
  /** Business time, in milliseconds since the epoch. */
  readonly now: number
}

/** Undefined: the run belongs to somebody else. */
export const endRun = async (
  pool: Pool,
  { day, fence }: RunHolder,
  { status, reason, now }: RunEnding,
): Promise<RecommendationRunRow | undefined> => {
  const values = [day, fence, status, reason, now]
  const { rows } = await askPostgres(() => pool.query<RecommendationRunRow>(endRunSql, values))
  return rows[0]
}
