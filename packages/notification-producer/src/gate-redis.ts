import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { RedisConfig } from '@dropbell/shared/config/redis'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import type { Logger } from '@dropbell/shared/log'
import { type Connection, createProbe } from '@dropbell/shared/probe'
import { redisSettings } from '@dropbell/shared/redis'
import { Redis, type RedisOptions, ReplyError } from 'ioredis'
import type { NotificationConfig } from './config.ts'
import { gateKeys } from './gate-keys.ts'
import { defineGateScripts } from './gate-scripts.ts'
import { durabilityFaults } from './redis-durability.ts'
import { redisDependency, toRedisFailure } from './redis-failure.ts'

export interface GateRedisOptions {
  config: RedisConfig & Pick<NotificationConfig, 'GATE_REDIS_CHECK'>
  log: Logger
  /** Name of the connection in `CLIENT LIST`. */
  service: string
  prefix?: string
  probeTimeoutMs?: number
}

export interface GateRedis extends Connection<Redis> {
  /** For a service's start: connects, patiently, and refuses for good (PermanentError) a Redis that may forget. */
  start(): Promise<void>
  /** The client, with the connection it has now checked. Rejects with a TransientError if there is none to rely on. */
  ready(): Promise<Redis>
}

/**
 * Only all of them together keep a script from running twice behind our back, or a caller from waiting: no command is
 * queued, sent again, or waited for.
 */
const failCloseOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 200,
  connectTimeout: 500,
  // A peer that vanished sends no FIN: without these the connection to it is kept for minutes, and closed for seconds.
  socketTimeout: 1_000,
  disconnectTimeout: 200,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** (attempt - 1), 1_000) + Math.random() * 50,
} satisfies RedisOptions

/**
 * A connection for the gate alone. Each new connection may lead to another server, or to one that was restarted in
 * another way, so everything the gate relies on is checked again before the first question on it: that it is a master
 * which writes everything down and evicts nothing, and that it still has the memory it had when this process began.
 */
export const createGateRedis = ({ config, log, service, prefix, probeTimeoutMs }: GateRedisOptions): GateRedis => {
  const client = new Redis({ ...redisSettings({ config, service: `${service}-gate` }), ...failCloseOptions })
  defineGateScripts(client)
  const memoryKey = gateKeys(prefix).memory
  let memory: string | undefined
  let checked: Promise<string[]> | undefined

  client.on('error', (err) => log.warn({ err, dependency: redisDependency }, 'redis connection failed'))
  client.on('close', () => {
    checked = undefined
  })

  const check = async (): Promise<string[]> => {
    if (client.status === 'wait') await client.connect()
    const faults = config.GATE_REDIS_CHECK === 'on' ? await inspect(client) : []
    if (faults.length > 0) return faults
    if (memory === undefined && (await client.set(memoryKey, randomUUID(), 'NX')) === 'OK') {
      log.warn({ dependency: redisDependency }, 'redis is new to us: it remembers nobody who was told before')
    }
    const found = await client.get(memoryKey)
    memory ??= found ?? undefined
    return found === memory ? [] : ['has lost its memory of who was told; restart the services to go on without it']
  }

  const faultsOfConnection = async (): Promise<string[]> => {
    const current = checked ?? check()
    checked = current
    try {
      const faults = await current
      // Somebody may be putting it right: looked at again next time.
      if (faults.length > 0 && checked === current) checked = undefined
      return faults
    } catch (error) {
      if (checked === current) checked = undefined
      throw toRedisFailure(error)
    }
  }

  const ready = async (): Promise<Redis> => {
    const faults = await faultsOfConnection()
    if (faults.length === 0) return client
    throw new TransientError('GATE_REDIS_UNSAFE', unsafe(faults), { dependency: redisDependency })
  }

  return {
    client,
    ready,
    start: async () => {
      if (config.GATE_REDIS_CHECK === 'off') {
        log.warn({ dependency: redisDependency }, 'GATE_REDIS_CHECK is off: limits are lost if redis forgets')
      }
      const faults = await patiently(faultsOfConnection)
      if (faults.length > 0) throw new PermanentError('GATE_REDIS_UNSAFE', unsafe(faults))
    },
    probe: createProbe({
      code: 'REDIS_UNAVAILABLE',
      name: 'Redis',
      timeoutMs: probeTimeoutMs,
      request: async () => (await ready()).ping(),
    }),
    close: async () => {
      if (client.status === 'ready') await client.quit().catch(() => {})
      client.disconnect()
    },
  }
}

const startTries = 5
const startPauseMs = 300

/** A process that is still loading its code hears answers late; the timeouts are those of one that runs. */
const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let left = startTries - 1; ; left--) {
    try {
      return await ask()
    } catch (error) {
      if (left === 0) throw error
      await setTimeout(startPauseMs)
    }
  }
}

const inspect = async (client: Redis): Promise<string[]> => {
  try {
    return durabilityFaults(await client.info())
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error
    return ['does not say whether it is durable (it refuses INFO; GATE_REDIS_CHECK=off does without)']
  }
}

const unsafe = (faults: readonly string[]): string => `Redis cannot be the gate's memory: it ${faults.join(', and ')}`
