import { assertMigrated } from '@dropbell/database/assert-migrated'
import { type Clock, systemClock } from '@dropbell/notification-producer/clock'
import { createCodec } from '@dropbell/schemas/codec'
import { notificationOutcomeTopic, notificationPushTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { createConsumer } from '@dropbell/shared/kafka/consumer'
import { retryPolicy } from '@dropbell/shared/kafka/consumer/decide-failure'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import { connectEngines } from './connect-engines.ts'
import { withDeadLetterOutcomes } from './dead-letter-outcomes.ts'
import { createNotificationDecoder } from './decode-notifications.ts'
import { createDeliver } from './deliver.ts'
import { type Failpoint, noFailpoint } from './failpoint.ts'
import { createFcmProvider } from './fcm/create-fcm-provider.ts'
import { createFcmMetrics } from './fcm/fcm-metrics.ts'
import { createNotificationHandler } from './handle-notification-batch.ts'
import { createPollDeliveries } from './poll-deliveries.ts'
import { createOutcomePublisher } from './publish-outcomes.ts'
import { runPoller } from './run-poller.ts'
import { createSenderMetrics } from './sender-metrics.ts'
import type { PushSenderConfig } from './service-config.ts'
import { createSweepSchedule } from './sweep-schedule.ts'
import { trackRunning } from './track-running.ts'

export const service = 'push-sender'

export interface App {
  operations: { host: string; port: number }
}

/** What a test or a bench may put in the place of the real thing. */
export interface AppParts {
  clock?: Clock
  failpoint?: Failpoint
  input?: { topic: string; groupId: string }
}

export const startApp = async (context: AppContext<PushSenderConfig>, parts: AppParts = {}): Promise<App> => {
  const { config, log, shutdown, fail } = context
  const { clock = systemClock, failpoint = noFailpoint } = parts
  const input = parts.input ?? { topic: notificationPushTopic.name, groupId: sharedGroupOf(notificationPushTopic) }
  const registry = createMetrics({ service })
  const engines = connectEngines({ config, log, service }, shutdown)
  const { kafka, postgres: pool, redis, schemaRegistry, probes } = engines
  // What would make every record fail is better found out before the first one is read.
  await assertMigrated(pool)
  const notificationCodec = createCodec({ topic: notificationPushTopic, registry: schemaRegistry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry })
  await outcomeCodec.encodeBatch([]) // is it registered?

  const publisher = createPublisher({ kafka, log })
  shutdown.add('publisher', publisher.close)
  const metrics = createSenderMetrics(registry)
  const provider = createFcmProvider({ config, redis, metrics: createFcmMetrics(registry), log, now: clock.now })
  shutdown.add('fcm', provider.close)
  const outcomes = createOutcomePublisher({ pool, codec: outcomeCodec, publisher, metrics })
  const deliveries = trackRunning(createDeliver({ pool, provider, config, clock, metrics, failpoint }))
  // What was handed to FCM is settled before its connections and the database go.
  shutdown.add('deliveries', deliveries.ended)
  const deliver = deliveries.run
  const consumer = createConsumer({
    kafka,
    ...input,
    decode: createNotificationDecoder(notificationCodec),
    handle: createNotificationHandler({
      ...{ pool, config, clock, deliver, outcomes, metrics, failpoint },
      served: new Set([provider.channel]),
    }),
    publisher: withDeadLetterOutcomes({
      ...{ publisher, clock, log },
      notifications: notificationCodec,
      outcomes: outcomeCodec,
    }),
    policy: retryPolicy(config),
    dependencies: probes,
    registry,
    log,
    onFatal: fail,
    maxBatchRecords: config.CONSUMER_MAX_BATCH_RECORDS,
    sessionTimeoutMs: config.CONSUMER_SESSION_TIMEOUT_MS,
    drainTimeoutMs: config.CONSUMER_DRAIN_TIMEOUT_MS,
  })
  const sweepDueAt = createSweepSchedule({ cron: config.RECOVERY_SWEEP_CRON, timezone: config.RECOVERY_SWEEP_TIMEZONE })
  const channel = provider.channel
  const poll = createPollDeliveries({ pool, channel, config, clock, deliver, outcomes, sweepDueAt, metrics, log })
  const poller = runPoller({ poll, intervalMs: config.DELIVERY_POLL_INTERVAL_MS, metrics, log })
  shutdown.add('poller', poller.stop)
  const operations = createOperationsServer({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    registry,
    log,
    dependencies: probes,
    stopping: shutdown.stopping,
    liveness: { consumer: consumer.isAlive, poller: poller.isAlive },
  })
  shutdown.add('operations server', operations.close)
  const address = await operations.listen()
  shutdown.add('consumer', consumer.stop)
  await consumer.start()
  return { operations: address }
}
