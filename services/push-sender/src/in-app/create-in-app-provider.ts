import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { notificationInappTopic, type Topic } from '@dropbell/schemas/topics'
import type { Publisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'
import { createChannelProvider } from '../channel-provider.ts'
import type { Provider } from '../provider.ts'
import type { ProviderMetrics } from '../provider-metrics.ts'
import { verdictBy } from '../verdict-by.ts'
import type { InAppConfig } from './config.ts'
import { createInAppTransport } from './in-app-transport.ts'

export interface InAppProviderOptions {
  config: InAppConfig
  publisher: Pick<Publisher, 'publish'>
  /** Of the topic. */
  codec: Pick<Codec<NotificationEvent>, 'encodeBatch'>
  metrics: ProviderMetrics
  log: Logger
  topic?: Topic<NotificationEvent>
}

/** To whoever has the app open, by way of Kafka. The publisher belongs to the caller, who closes it. */
export const createInAppProvider = (options: InAppProviderOptions): Provider => {
  const { config, publisher, codec, metrics, log, topic = notificationInappTopic } = options
  return createChannelProvider({
    channel: 'IN_APP',
    transport: createInAppTransport({ publisher, codec, topic }),
    breaker: { failures: config.IN_APP_BREAKER_FAILURES, resetMs: config.IN_APP_BREAKER_RESET_MS },
    verdictOn: verdictBy(() => false),
    metrics,
    log,
  })
}
