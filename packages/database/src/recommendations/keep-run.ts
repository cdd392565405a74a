import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import type { RunHolder } from './commit-page.ts'

export const keepRunSql = `
  UPDATE recommendation_runs SET heartbeat_at = now(), expected = coalesce($3, expected)
  WHERE day = $1 AND fence = $2 AND status = 'RUNNING'
`

/** A sign of life between two pages. False: the run belongs to somebody else. */
export const keepRun = async (
  pool: Pool,
  { day, fence }: RunHolder,
  { expected = null }: { expected?: number | null } = {},
): Promise<boolean> => {
  const { rowCount } = await askPostgres(() => pool.query(keepRunSql, [day, fence, expected]))
  return rowCount === 1
}
