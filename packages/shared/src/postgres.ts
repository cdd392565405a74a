import type { ConnectionOptions } from 'node:tls'
import pg, { type Pool, type PoolConfig, type QueryConfig } from 'pg'
import { caOptions } from './ca-file.ts'
import type { PostgresConfig } from './config/postgres.ts'
import type { Logger } from './log.ts'
import { type Connection, createProbe } from './probe.ts'

export interface PostgresOptions {
  config: PostgresConfig
  log: Logger
  /** `application_name` in `pg_stat_activity`. */
  service: string
  probeTimeoutMs?: number
}

export const postgresSettings = ({ config, service }: Pick<PostgresOptions, 'config' | 'service'>): PoolConfig => ({
  connectionString: config.DATABASE_URL,
  application_name: service,
  max: config.DATABASE_POOL_MAX,
  ssl: tlsOptions(config),
  keepAlive: true,
  // How long to wait for a free connection of the pool or for a new one; the default is for ever.
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 30_000,
  // The server gives up first; the client's own limit is for a server that does not answer at all.
  // Far below a consumer's session, within which it has to get somewhere.
  statement_timeout: 5_000,
  query_timeout: 7_000,
  // A process that stands still inside a transaction must not keep its locks.
  idle_in_transaction_session_timeout: 30_000,
})

const tlsOptions = ({ DATABASE_SSL: mode, DATABASE_CA_FILE: path }: PostgresConfig): ConnectionOptions | false => {
  if (mode === 'disable') return false
  return mode === 'verify-full' ? { rejectUnauthorized: true, ...caOptions(path) } : { rejectUnauthorized: false }
}

export const createPostgres = (options: PostgresOptions): Connection<Pool> => {
  const client = new pg.Pool(postgresSettings(options))
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  client.on('error', (err) => options.log.warn({ err, dependency: 'postgres' }, 'idle postgres connection failed'))
  let closed: Promise<void> | undefined
  return {
    client,
    probe: createProbe({
      code: 'POSTGRES_UNAVAILABLE',
      name: 'Postgres',
      timeoutMs: options.probeTimeoutMs,
      // With a timeout of its own, so that a connection which does not answer goes back to the pool and is thrown away.
      request: (timeoutMs) => client.query({ text: 'SELECT 1', query_timeout: timeoutMs } as QueryConfig),
    }),
    close: () => {
      closed ??= client.end()
      return closed
    },
  }
}
