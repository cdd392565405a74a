import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

const text = `
  DELETE FROM recommendation_left_out
  WHERE (day, user_id) IN (SELECT day, user_id FROM recommendation_left_out WHERE day < $1::date - 7 ORDER BY day LIMIT $2)
`
const batchSize = 10_000

/** Deletes who was left out more than a week before that day; nobody will be told any more. In small batches. */
export const forgetLeftOut = async (pool: Pool, day: string): Promise<void> => {
  for (let deleted = batchSize; deleted === batchSize; ) {
    deleted = (await askPostgres(() => pool.query(text, [day, batchSize]))).rowCount ?? 0
  }
}
