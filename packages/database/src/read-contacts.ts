import type { Pool } from 'pg'
import { askPostgres } from './postgres-failure.ts'
import type { UserInfoRow } from './user-info-row.ts'

/** Never logged. */
export type Contacts = Pick<UserInfoRow, 'email' | 'phone'>

const text = 'SELECT user_id, email, phone FROM user_info WHERE user_id = ANY ($1::text[])'

/** Where users can be reached outside the app. Whoever has no row is not in the answer. */
export const readContacts = async (pool: Pool, userIds: readonly string[]): Promise<Map<string, Contacts>> => {
  // Postgres refuses the whole list for a NUL in one text, which therefore cannot be in a row either.
  const askable = userIds.filter((userId) => !userId.includes('\0'))
  if (askable.length === 0) return new Map()
  const { rows } = await askPostgres(() => pool.query<Contacts & Pick<UserInfoRow, 'user_id'>>(text, [askable]))
  return new Map(rows.map(({ user_id, email, phone }) => [user_id, { email: email || null, phone: phone || null }]))
}
