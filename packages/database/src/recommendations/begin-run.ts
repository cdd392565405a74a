import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import { type RecommendationRunRow, runColumns } from '../recommendation-run-row.ts'

/**
 * (none), PAUSED, FAILED, DONE with left-out users, or RUNNING without a heartbeat for too long → RUNNING, ours, behind a
 * higher fence. Nothing else: a run under way stays with its holder, and a finished one is not begun again.
 */
export const beginRunSql = `
  INSERT INTO recommendation_runs AS r (day, status, as_of, started_at)
  VALUES ($1, 'RUNNING', to_timestamp($2 / 1000.0), to_timestamp($3 / 1000.0))
  ON CONFLICT (day) DO UPDATE
  SET status = 'RUNNING', reason = NULL, fence = r.fence + 1, heartbeat_at = now(), ended_at = NULL
  WHERE CASE r.status
    WHEN 'RUNNING' THEN r.heartbeat_at < now() - $4 * interval '1 ms'
    WHEN 'DONE' THEN r.left_out > 0
    ELSE true
  END
  RETURNING ${runColumns}
`

export interface BeginOptions {
  readonly day: string
  /** Of a run that is new: from when its audience is reckoned. Milliseconds since the epoch, as all times here. */
  readonly asOf: number
  readonly now: number
  /** After how long without a heartbeat a holder counts as dead. */
  readonly staleMs: number
}

/** Undefined: it is somebody else's, or there is nothing to do. */
export const beginRun = async (
  pool: Pool,
  { day, asOf, now, staleMs }: BeginOptions,
): Promise<RecommendationRunRow | undefined> => {
  const values = [day, asOf, now, staleMs]
  const { rows } = await askPostgres(() => pool.query<RecommendationRunRow>(beginRunSql, values))
  return rows[0]
}
