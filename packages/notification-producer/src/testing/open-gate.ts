import { randomUUID } from 'node:crypto'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { redisConfig } from '@dropbell/shared/config/redis'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Redis } from 'ioredis'
import { notificationConfig } from '../config.ts'
import { createGate, type Gate, type SlotRequest } from '../gate.ts'
import { type GateKeys, gateKeys } from '../gate-keys.ts'
import { createGateRedis, type GateRedis } from '../gate-redis.ts'

export interface OpenGate {
  gate: Gate
  redis: GateRedis
  keys: GateKeys
  /** Another connection, without the gate's limits, to see what is in Redis. */
  observer: Redis
  logLines(): Record<string, unknown>[]
  close(): Promise<void>
}

const schema = defineConfig(redisConfig, notificationConfig)

/** A gate as a service makes it, with keys of its own; several may share a prefix, as instances of a service do. */
export const openGate = (env: Environment, prefix = `test-${randomUUID()}`): OpenGate => {
  const config = loadConfig(schema, env)
  const { log, lines } = captureLog()
  const redis = createGateRedis({ config, log, service: 'gate-test', prefix })
  const observer = new Redis(config.REDIS_URL, { lazyConnect: true })
  observer.on('error', () => {}) // an engine that a test stops
  return {
    gate: createGate({ redis, config, prefix }),
    redis,
    keys: gateKeys(prefix),
    observer,
    logLines: lines,
    close: async () => {
      await redis.close()
      observer.disconnect()
    },
  }
}

export const sampleSlot: SlotRequest = {
  userId: 'user-1',
  subject: 'P-1',
  type: 'PRICE_DROP',
  eventId: 'evt-1',
  date: '2026-01-15',
}
