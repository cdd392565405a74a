import { assertMigrated } from '@dropbell/database/assert-migrated'
import { type Clock, systemClock } from '@dropbell/notification-producer/clock'
import type { GateRedis } from '@dropbell/notification-producer/gate-redis'
import { createCodec } from '@dropbell/schemas/codec'
import {
  notificationInappTopic,
  notificationOutcomeTopic,
  notificationPushTopic,
  sharedGroupOf,
} from '@dropbell/schemas/topics'
import { TransientError } from '@dropbell/shared/errors'
import { createConsumer } from '@dropbell/shared/kafka/consumer'
import { retryPolicy } from '@dropbell/shared/kafka/consumer/decide-failure'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import { connectEngines } from './connect-engines.ts'
import { connectJudge } from './connect-judge.ts'
import { createProviders } from './create-providers.ts'
import { withDeadLetterOutcomes } from './dead-letter-outcomes.ts'
import { createNotificationDecoder } from './decode-notifications.ts'
import { createDeliver } from './deliver.ts'
import { type Failpoint, noFailpoint } from './failpoint.ts'
import { createNotificationHandler } from './handle-notification-batch.ts'
import { createOutcomePublisher } from './publish-outcomes.ts'
import { createSenderMetrics } from './sender-metrics.ts'
import type { PushSenderConfig } from './service-config.ts'
import { createSift } from './sift-deliveries.ts'
import { startPollers } from './start-pollers.ts'
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
  const { kafka, postgres: pool, schemaRegistry, probes } = engines
  // What would make every record fail is better found out before the first one is read.
  await assertMigrated(pool)
  await assertGateIsSafe(engines.gateRedis, log)
  const notificationCodec = createCodec({ topic: notificationPushTopic, registry: schemaRegistry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry })
  const inAppCodec = createCodec({ topic: notificationInappTopic, registry: schemaRegistry })
  await Promise.all([outcomeCodec, inAppCodec].map((codec) => codec.encodeBatch([]))) // are they registered?

  const publisher = createPublisher({ kafka, log })
  shutdown.add('publisher', publisher.close)
  const metrics = createSenderMetrics(registry)
  const providers = createProviders({ config, engines, inAppCodec, registry, log, now: clock.now }, shutdown)
  const outcomes = createOutcomePublisher({ pool, codec: outcomeCodec, publisher, metrics, log })
  const sift = createSift({ pool, judge: connectJudge({ config, engines, log }), clock, metrics })
  const deliveries = trackRunning(createDeliver({ pool, providers, config, clock, metrics, failpoint }))
  // What was handed to a provider is settled before its connections and the database go.
  shutdown.add('deliveries', deliveries.ended)
  const deliver = deliveries.run
  const pollers = startPollers({ pool, config, clock, sift, deliver, outcomes, metrics, log })
  shutdown.add('pollers', pollers.stop)
  const consumer = createConsumer({
    kafka,
    ...input,
    decode: createNotificationDecoder(notificationCodec),
    handle: createNotificationHandler({
      ...{ pool, config, clock, sift, deliver, outcomes, metrics, failpoint },
      wake: pollers.wake,
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
  const operations = createOperationsServer({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    registry,
    log,
    dependencies: probes,
    stopping: shutdown.stopping,
    liveness: { consumer: consumer.isAlive, pollers: pollers.areAlive },
  })
  shutdown.add('operations server', operations.close)
  const address = await operations.listen()
  shutdown.add('consumer', consumer.stop)
  await consumer.start()
  return { operations: address }
}

/** A Redis that is not there may come; transactional notifications go out without it. One that forgets is refused. */
const assertGateIsSafe = async (gateRedis: GateRedis, log: Logger): Promise<void> => {
  try {
    await gateRedis.start()
  } catch (err) {
    if (!(err instanceof TransientError)) throw err
    log.warn({ err }, 'redis does not answer yet: what depends on it waits')
  }
}
