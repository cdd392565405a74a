import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { assertHistoryTemplate, createHistoryIndex } from '@dropbell/schemas/history/history-indices'
import { historyIndexOf } from '@dropbell/schemas/history/history-month'
import { notificationOutcomeTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { createConsumer } from '@dropbell/shared/kafka/consumer'
import type { Handle } from '@dropbell/shared/kafka/consumer/consumed-record'
import { retryPolicy } from '@dropbell/shared/kafka/consumer/decide-failure'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import { createBulkIndex } from './bulk-index.ts'
import { connectEngines } from './connect-engines.ts'
import { createOutcomeDecoder } from './decode-outcomes.ts'
import { createOutcomeHandler } from './handle-outcome-batch.ts'
import { createHistoryMetrics } from './history-metrics.ts'
import { createMonthIndices } from './month-indices.ts'
import type { HistoryIndexerConfig } from './service-config.ts'

export const service = 'history-indexer'

export interface App {
  operations: { host: string; port: number }
}

/** What a test or a bench may put in the place of the real thing, or around it. */
export interface AppParts {
  input?: { topic: string; groupId: string }
  around?(handle: Handle<NotificationOutcome>): Handle<NotificationOutcome>
}

export const startApp = async (context: AppContext<HistoryIndexerConfig>, parts: AppParts = {}): Promise<App> => {
  const { config, log, shutdown, fail } = context
  const { around = (handle) => handle } = parts
  const input = parts.input ?? {
    topic: notificationOutcomeTopic.name,
    groupId: sharedGroupOf(notificationOutcomeTopic),
  }
  const alias = config.NOTIFICATION_HISTORY_INDEX
  const registry = createMetrics({ service })
  const engines = connectEngines({ config, log, service }, shutdown)
  const { kafka, elasticsearch, schemaRegistry, probes } = engines
  // What would make every record fail is better found out before the first one is read.
  await assertHistoryTemplate(elasticsearch, alias)
  const months = createMonthIndices((index) => createHistoryIndex(elasticsearch, alias, index))
  await months.ensure([historyIndexOf(alias, Date.now())])

  const publisher = createPublisher({ kafka, log })
  shutdown.add('publisher', publisher.close)
  const handle = createOutcomeHandler({
    ...{ alias, months, now: Date.now },
    bulkIndex: createBulkIndex(elasticsearch),
    metrics: createHistoryMetrics(registry),
  })
  const consumer = createConsumer({
    kafka,
    ...input,
    decode: createOutcomeDecoder(createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry })),
    handle: around(handle),
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
