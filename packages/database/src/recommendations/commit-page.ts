import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'
import type { RecommendationRunRow } from '../recommendation-run-row.ts'

/** Whose run it is. */
export interface RunHolder {
  readonly day: string
  readonly fence: number
}

export interface LeftOutUser {
  readonly userId: string
  readonly reason: string
}

/**
 * What became of some users, who all had their turn. The counts are those of the whole run so far: written twice, because
 * nobody knows whether it was written, they are as true as before.
 */
export interface PageCommit {
  /** How far the audience is read; undefined for users who were left out before. */
  readonly cursor: string | undefined
  readonly users: number
  readonly sent: number
  readonly nothing: number
  readonly refused: Readonly<Record<string, number>>
  readonly leftOut: readonly LeftOutUser[]
  /** Users who had been left out before and need no further run. */
  readonly served: readonly string[]
}

/** Writes nothing at all unless the fence is still the holder's. */
export const commitPageSql = `
  WITH held AS MATERIALIZED (
    SELECT day FROM recommendation_runs WHERE day = $1 AND fence = $2 AND status = 'RUNNING' FOR UPDATE
  ), gone AS (
    DELETE FROM recommendation_left_out l USING held WHERE l.day = held.day AND l.user_id = ANY ($9::text[]) RETURNING 1
  ), added AS (
    INSERT INTO recommendation_left_out (day, user_id, reason)
    SELECT held.day, l.user_id, l.reason FROM held, unnest($7::text[], $8::text[]) AS l (user_id, reason)
    ON CONFLICT (day, user_id) DO UPDATE SET reason = excluded.reason
    RETURNING xmax = 0 AS is_new
  )
  UPDATE recommendation_runs r
  SET cursor = coalesce($3, r.cursor), users = $4, sent = $5, nothing = $6, refused = $10,
      left_out = r.left_out + (SELECT count(*) FROM added WHERE is_new) - (SELECT count(*) FROM gone),
      heartbeat_at = now()
  FROM held
  WHERE r.day = held.day
  RETURNING r.left_out
`

/** The number of left-out users by now; undefined: the run belongs to somebody else. */
export const commitPage = async (
  pool: Pool,
  { day, fence }: RunHolder,
  page: PageCommit,
): Promise<number | undefined> => {
  const values = [
    day,
    fence,
    page.cursor ?? null,
    page.users,
    page.sent,
    page.nothing,
    page.leftOut.map(({ userId }) => userId),
    page.leftOut.map(({ reason }) => reason),
    page.served,
    JSON.stringify(page.refused),
  ]
  const { rows } = await askPostgres(() => pool.query<Pick<RecommendationRunRow, 'left_out'>>(commitPageSql, values))
  return rows[0]?.left_out
}
