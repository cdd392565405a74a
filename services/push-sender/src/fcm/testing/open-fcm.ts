import { randomUUID } from 'node:crypto'
import { createFcmControl, type FcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import type { Provider } from '../../provider.ts'
import { fcmConfig } from '../config.ts'
import { createFcmProvider } from '../create-fcm-provider.ts'
import { createFcmMetrics } from '../fcm-metrics.ts'

const schema = defineConfig(fcmConfig)

export interface OpenFcm {
  provider: Provider
  /** The simulator's side of it. */
  fcm: FcmControl
  registry: Registry
  redis: Redis
  logLines(): Record<string, unknown>[]
  close(): Promise<void>
}

export interface OpenFcmOptions {
  env?: Environment
  /** Of a Redis other than the test run's. */
  redisUrl?: string
  /** Instances of one service share a project; by default each has its own. */
  project?: string
  now?: () => number
}

/** A provider as the service makes it, on a project of its own in the simulator. */
export const openFcm = ({ env, redisUrl, project = `p-${randomUUID()}`, now }: OpenFcmOptions = {}): OpenFcm => {
  const endpoint = env?.FCM_ENDPOINT ?? testEnv().FCM_ENDPOINT
  const config = loadConfig(schema, { FCM_ENDPOINT: endpoint, FCM_PROJECT_ID: project, ...env })
  const redis = new Redis(redisUrl ?? testEnv().REDIS_URL, { maxRetriesPerRequest: 1 })
  redis.on('error', () => {}) // an engine that a test stops
  const registry = new Registry()
  const { log, lines } = captureLog()
  const provider = createFcmProvider({ config, redis, metrics: createFcmMetrics(registry), log, ...(now && { now }) })
  return {
    provider,
    // Past whatever a test has put between the provider and the simulator.
    fcm: createFcmControl(testEnv().FCM_ENDPOINT, project),
    registry,
    redis,
    logLines: lines,
    close: async () => {
      await provider.close()
      redis.disconnect()
    },
  }
}
