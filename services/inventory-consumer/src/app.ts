import { assertMigrated } from '@dropbell/database/assert-migrated'
import { systemClock } from '@dropbell/notification-producer/clock'
import { createAdmission } from '@dropbell/notification-producer/create-admission'
import { createGate } from '@dropbell/notification-producer/gate'
import { createNotificationMetrics } from '@dropbell/notification-producer/notification-metrics'
import { createNotificationProducer } from '@dropbell/notification-producer/produce-notifications'
import { createCodec } from '@dropbell/schemas/codec'
import {
  notificationOutcomeTopic,
  notificationPushTopic,
  productInventoryTopic,
  sharedGroupOf,
} from '@dropbell/schemas/topics'
import { createConsumer } from '@dropbell/shared/kafka/consumer'
import { retryPolicy } from '@dropbell/shared/kafka/consumer/decide-failure'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import { connectEngines } from './connect-engines.ts'
import { createInventoryDecoder } from './decode-inventory-events.ts'
import { createInventoryHandler } from './handle-inventory-batch.ts'
import { createInventoryMetrics } from './inventory-metrics.ts'
import { createProductNames } from './product-names.ts'
import { createProductStates } from './product-state.ts'
import { createTargetResolver } from './resolve-targets.ts'
import type { InventoryConsumerConfig } from './service-config.ts'

export const service = 'inventory-consumer'

export interface App {
  operations: { host: string; port: number }
}

export const startApp = async (context: AppContext<InventoryConsumerConfig>): Promise<App> => {
  const { config, log, shutdown, fail } = context
  const registry = createMetrics({ service })
  const engines = connectEngines({ config, log, service }, shutdown)
  const { kafka, elasticsearch, postgres, gateRedis, schemaRegistry, probes } = engines
  // What would make every record fail is better found out before the first one is read.
  await gateRedis.start()
  await assertMigrated(postgres)
  await engines.readFields()
  const notificationCodec = createCodec({ topic: notificationPushTopic, registry: schemaRegistry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry })
  await Promise.all([notificationCodec.encodeBatch([]), outcomeCodec.encodeBatch([])]) // are they registered?

  const publisher = createPublisher({ kafka, log })
  shutdown.add('publisher', publisher.close)
  const metrics = { ...createNotificationMetrics(registry), ...createInventoryMetrics(registry) }
  const produceNotifications = createNotificationProducer({
    admit: createAdmission({ pool: postgres, gate: createGate({ redis: gateRedis, config }), metrics, log }),
    codecs: { notification: notificationCodec, outcome: outcomeCodec },
    publisher,
    config,
    clock: systemClock,
    metrics,
  })
  const productStates = createProductStates({ client: engines.redis, config })
  const consumer = createConsumer({
    kafka,
    topic: productInventoryTopic.name,
    groupId: sharedGroupOf(productInventoryTopic),
    decode: createInventoryDecoder(createCodec({ topic: productInventoryTopic, registry: schemaRegistry })),
    handle: createInventoryHandler({
      rules: { priceDropThreshold: config.PRICE_DROP_THRESHOLD },
      productStates,
      readProductNames: createProductNames({ client: elasticsearch, config }),
      resolveTargets: createTargetResolver({
        client: elasticsearch,
        config,
        log,
        metrics,
        readFields: engines.readFields,
      }),
      produceNotifications,
      metrics,
    }),
    lookAhead: productStates.recordProductStates,
    publisher,
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
    liveness: { consumer: consumer.isAlive },
  })
  shutdown.add('operations server', operations.close)
  const address = await operations.listen()
  shutdown.add('consumer', consumer.stop)
  await consumer.start()
  return { operations: address }
}
