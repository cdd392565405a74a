import { PermanentError } from '@dropbell/shared/errors'
import type { Pool } from 'pg'
import { migrationList, migrationsTable } from './migration-list.ts'
import { askPostgres } from './postgres-failure.ts'

/** For a service's start: without its tables every record it reads would be dead-lettered. */
export const assertMigrated = async (pool: Pool): Promise<void> => {
  const missing = await askPostgres(() => missingMigrations(pool))
  if (missing.length === 0) return
  throw new PermanentError(
    'DATABASE_NOT_MIGRATED',
    `The database lacks ${missing.join(', ')}: run \`dropbell db migrate\``,
  )
}

/** Newer migrations than ours are no fault: the database is upgraded before the services. */
const missingMigrations = async (pool: Pool): Promise<string[]> => {
  const exists = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [migrationsTable])
  if (!exists.rows[0]?.found) return Object.keys(migrationList)
  const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${migrationsTable}`)
  const applied = new Set(rows.map(({ name }) => name))
  return Object.keys(migrationList).filter((name) => !applied.has(name))
}
