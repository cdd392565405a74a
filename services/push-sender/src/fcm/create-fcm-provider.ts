import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { Logger } from '@dropbell/shared/log'
import type { Redis } from 'ioredis'
import type { Provider } from '../provider.ts'
import { createSimulatedProvider } from '../simulated-provider.ts'
import { createAccessTokens } from './access-token.ts'
import type { FcmConfig } from './config.ts'
import { fcmAccess, transportOf } from './fcm-access.ts'
import { createFcmBreaker } from './fcm-breaker.ts'
import { createFcmBudget } from './fcm-budget.ts'
import type { FcmMetrics } from './fcm-metrics.ts'
import { createFcmProviderOver } from './fcm-provider.ts'
import type { SessionEvent } from './http2/fcm-session.ts'
import { createHttp2Transport } from './http2-transport.ts'
import { createSdkTransport } from './sdk-transport.ts'

import type { FcmTransport } from './transport.ts'

export interface FcmProviderOptions {
  config: FcmConfig
  /** Budget and pause are kept there for all instances. */
  redis: Redis
  metrics: FcmMetrics
  log: Logger
  /** Milliseconds since the epoch: the clock of the business, which TTLs are counted by. */
  now?: () => number
  /** Of the keys in Redis. */
  keyPrefix?: string
}

/** Pushes as the configuration wants them. Nothing is connected yet when this returns. */
export const createFcmProvider = (options: FcmProviderOptions): Provider => {
  const { config, redis: client, metrics, log, now = Date.now, keyPrefix } = options
  const access = fcmAccess(config)
  const kind = transportOf(config, access)
  if (kind === 'simulated' || access === undefined) return createSimulatedProvider({ channel: 'PUSH', log })
  const breaker = createFcmBreaker({
    config,
    onChange: (state) => {
      metrics.breaker.inc({ state })
      log.warn({ dependency: 'fcm', outcome: state }, 'breaker of FCM changed')
    },
  })
  const onSessionEvent = (event: SessionEvent): void => {
    metrics.sessions.inc({ event })
    if (event === 'lost' || event === 'silent') breaker.connectionLost()
  }
  const createTransport = (): FcmTransport => {
    if (kind === 'sdk') return createSdkTransport({ access, simulator: config.FCM_ENDPOINT !== undefined, log })
    const accessTokens = createAccessTokens(access)
    return createHttp2Transport({ access, accessTokens, config, log, onSessionEvent })
  }
  return createFcmProviderOver({
    transport: createTransport(),
    budget: createFcmBudget({ client, config, log, projectId: access.projectId, ...(keyPrefix && { keyPrefix }) }),
    breaker,
    rules: {
      dataOnlyTypes: new Set(config.FCM_DATA_ONLY_TYPES as NotificationType[] | undefined),
      quotaPauseMs: config.FCM_QUOTA_PAUSE_MS,
      now,
    },
    metrics,
    log,
  })
}
