import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { fetchWithMaven } from '../artifacts/maven.ts'
import { unzip } from '../artifacts/unzip.ts'
import type { Engine, EngineSite } from './engine.ts'

const jarVersion = '1.4.3'

/** The binaries that the jar carries, by platform and architecture. */
const binaries: Record<string, string> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
}

/**
 * What the gate relies on: every write is in the append-only file before it is answered, and no key is ever evicted.
 * With `everysec` a write waits in memory while an fsync is under way, and kill -9 loses what was answered already.
 */
const settingsOf = ({ directory, ports }: EngineSite): string => `
bind 127.0.0.1
port ${ports.main}
dir "${directory}"
daemonize no
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction
`

export const redis: Engine = {
  name: 'redis',
  title: 'Redis',
  dependsOn: [],
  ports: { main: 6379 },
  artifact: {
    id: `redis-${jarVersion}`,
    async fetch(directory, watch) {
      const platform = `${process.platform}-${process.arch}`
      const binary = binaries[platform]
      if (!binary) throw new Error(`There is no Redis for ${platform} to fetch; use Docker instead: docker compose up`)
      await fetchWithMaven([`com.github.codemonstur:embedded-redis:${jarVersion}`], directory, watch)
      const jar = join(directory, `embedded-redis-${jarVersion}.jar`)
      await unzip(jar, directory, (name) => (name === binary ? 'redis-server' : undefined))
      await rm(jar)
      await chmod(join(directory, 'redis-server'), 0o755)
    },
  },

  prepare: (site) => writeFile(join(site.directory, 'redis.conf'), settingsOf(site)),

  command: async (site) => ({
    file: join(site.installation, 'redis-server'),
    args: [join(site.directory, 'redis.conf')],
    cwd: site.directory,
  }),

  async probe({ ports }) {
    const client = new Redis({
      host: '127.0.0.1',
      port: ports.main as number,
      lazyConnect: true,
      connectTimeout: 1_000,
      commandTimeout: 2_000,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
    })
    client.on('error', () => {}) // the same error rejects connect()
    try {
      await client.connect()
      await client.ping()
      return /^redis_version:(.+)$/m.exec(await client.info('server'))?.[1]?.trim() ?? 'unknown'
    } finally {
      client.disconnect()
    }
  },

  env: ({ ports }) => ({ REDIS_URL: `redis://127.0.0.1:${ports.main}` }),
}
