import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'
import type { Shutdown } from '@dropbell/shared/shutdown'
import type { Registry } from 'prom-client'
import type { Engines } from './connect-engines.ts'
import { createEmailProvider } from './email/create-email-provider.ts'
import { createFcmProvider } from './fcm/create-fcm-provider.ts'
import { createFcmMetrics } from './fcm/fcm-metrics.ts'
import { createInAppProvider } from './in-app/create-in-app-provider.ts'
import type { Providers } from './provider.ts'
import { createProviderMetrics } from './provider-metrics.ts'
import type { PushSenderConfig } from './service-config.ts'
import { createSmsProvider } from './sms/create-sms-provider.ts'

export interface ProvidersOptions {
  config: PushSenderConfig
  engines: Engines
  inAppCodec: Codec<NotificationEvent>
  registry: Registry
  log: Logger
  now(): number
}

/** A way out for every channel, each closed by the shutdown after what uses it. */
export const createProviders = (options: ProvidersOptions, shutdown: Shutdown): Providers => {
  const { config, engines, registry, log, now } = options
  const common = { config, log, now, metrics: createProviderMetrics(registry) }
  // A producer of its own: outcomes do not wait behind what is published to the app, nor the other way round.
  const publisher = createPublisher({ kafka: engines.kafka, log })
  shutdown.add('publisher to the app', publisher.close)
  const providers: Providers = {
    PUSH: createFcmProvider({ ...common, redis: engines.redis, metrics: createFcmMetrics(registry) }),
    SMS: createSmsProvider(common),
    EMAIL: createEmailProvider(common),
    IN_APP: createInAppProvider({ ...common, publisher, codec: options.inAppCodec }),
  }
  for (const { channel, close } of Object.values(providers)) shutdown.add(`provider of ${channel}`, close)
  return providers
}
