import { isIP } from 'node:net'
import { Redis, type RedisOptions } from 'ioredis'
import { caOptions } from './ca-file.ts'
import type { RedisConfig } from './config/redis.ts'
import type { Logger } from './log.ts'
import { type Connection, createProbe } from './probe.ts'

export interface RedisConnectionOptions {
  config: RedisConfig
  log: Logger
  /** Name of the connection in `CLIENT LIST`. */
  service: string
  probeTimeoutMs?: number
}

/** For commands that may be late but not repeated. Not for blocking commands, which `commandTimeout` would cut off. */
const generalOptions = {
  lazyConnect: true,
  connectTimeout: 3_000,
  commandTimeout: 2_000,
  // A command in flight when the socket drops may have run: its caller decides whether to send it again.
  autoResendUnfulfilledCommands: false,
  // Commands wait for a reconnect, but only for one attempt or until they time out: not for 20 attempts as by default.
  maxRetriesPerRequest: 1,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** (attempt - 1), 2_000) + Math.random() * 100,
} satisfies RedisOptions

export const redisSettings = ({ config, service }: Pick<RedisConnectionOptions, 'config' | 'service'>) => {
  const url = new URL(config.REDIS_URL)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const username = config.REDIS_USERNAME ?? decodeURIComponent(url.username)
  const password = config.REDIS_PASSWORD ?? decodeURIComponent(url.password)
  const tls = { ...(isIP(host) === 0 && { servername: host }), ...caOptions(config.REDIS_TLS_CA_FILE) }
  return {
    ...generalOptions,
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    db: Number(url.pathname.slice(1)),
    connectionName: service,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(url.protocol === 'rediss:' && { tls }),
  } satisfies RedisOptions
}

export const createRedis = (options: RedisConnectionOptions): Connection<Redis> => {
  const client = new Redis(redisSettings(options))
  // ioredis reconnects by itself; without a listener it would write to the console instead.
  client.on('error', (err) => options.log.warn({ err, dependency: 'redis' }, 'redis connection failed'))
  return {
    client,
    probe: createProbe({
      code: 'REDIS_UNAVAILABLE',
      name: 'Redis',
      timeoutMs: options.probeTimeoutMs,
      request: () => client.ping(),
    }),
    close: async () => {
      // QUIT lets answers that are under way arrive; without a connection it would first make one. If the connection
      // breaks instead, no answer will arrive, and whoever waits for one is told so.
      if (client.status === 'ready') await client.quit().catch(() => {})
      client.disconnect()
    },
  }
}
