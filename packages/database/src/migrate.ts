import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PermanentError } from '@dropbell/shared/errors'
import type { Logger } from '@dropbell/shared/log'
import { type RunnerOption, runner } from 'node-pg-migrate'
import pg, { type ClientConfig } from 'pg'
import { migrationList, migrationsTable } from './migration-list.ts'
import { askPostgres } from './postgres-failure.ts'

export interface MigrateOptions {
  /** As `postgresSettings` of `@dropbell/shared/postgres` makes it. */
  connection: ClientConfig
  log: Logger
}

/**
 * Brings the database up to date and says what that took. All or nothing, in one transaction. Whoever comes second
 * waits for the first and then finds nothing to do.
 */
export const migrate = async ({ connection, log }: MigrateOptions): Promise<string[]> => {
  // Waiting for another migration, or building an index, may take longer than any query of a service.
  const client = new pg.Client({ ...connection, statement_timeout: 0, query_timeout: 0, lock_timeout: 0 })
  // A connection that breaks also fails the query under way; without a listener it would end the process.
  client.on('error', (err) => log.warn({ err, dependency: 'postgres' }, 'postgres connection failed'))
  return askPostgres(async () => {
    try {
      await client.connect()
      const applied = await runner({ ...runnerOptions(log), dbClient: client })
      return applied.map(({ name }) => name)
    } finally {
      await client.end()
    }
  })
}

const runnerOptions = (log: Logger) =>
  ({
    direction: 'up',
    dir: fileURLToPath(new URL('./migrations', import.meta.url)),
    // Leaves out what the compiler puts beside a module: declarations and source maps.
    ignorePattern: '(?!\\d{4}_[a-z-]+\\.(ts|js)$).*',
    migrationLoaderStrategies: [{ extensions: ['.ts', '.js'], loader: loadFromList }],
    migrationsTable,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    logger: quietly(log),
  }) satisfies Omit<RunnerOption, 'dbClient' | 'databaseUrl'>

/** The files are only looked at for their names: what runs was imported like any other module, from source or built. */
const loadFromList = async (paths: string[]) =>
  paths.map((path) => {
    const name = basename(path, extname(path))
    const migration = migrationList[name]
    if (migration === undefined) {
      throw new PermanentError('MIGRATION_NOT_LISTED', `The migration ${name} is missing in migration-list.ts`)
    }
    return { id: path, filePaths: [path], actions: { up: migration.up } }
  })

/** It reports failures that are thrown as well, and names what `migrate` returns. */
const quietly = (log: Logger) => {
  const say = (detail: string): void => log.debug({ namespace: 'node-pg-migrate', detail }, 'postgres migration')
  return { debug: say, info: say, warn: say, error: say }
}
