import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import pg, { type Pool } from 'pg'

export interface TestDatabase {
  url: string
  pool: Pool
  drop(): Promise<void>
}

/** An empty database of the test file's own, on the run's shared server. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const server = testEnv().DATABASE_URL
  await onServer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href })
  // The drop may cut off a connection that is still saying goodbye.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    url: url.href,
    pool,
    drop: async () => {
      await pool.end()
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

const onServer = async (connectionString: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
