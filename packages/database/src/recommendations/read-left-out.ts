import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

const text = `
  SELECT user_id FROM recommendation_left_out
  WHERE day = $1 AND ($2::text IS NULL OR user_id > $2)
  ORDER BY user_id
  LIMIT $3
`

export interface LeftOutPage {
  readonly day: string
  /** The last user of the page before. */
  readonly after: string | undefined
  readonly limit: number
}

export const readLeftOut = async (pool: Pool, { day, after, limit }: LeftOutPage): Promise<string[]> => {
  const values = [day, after ?? null, limit]
  const { rows } = await askPostgres(() => pool.query<{ user_id: string }>(text, values))
  return rows.map((row) => row.user_id)
}
