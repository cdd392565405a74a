import { assertMigrated } from '@dropbell/database/assert-migrated'
import { createConsumerLag } from '@dropbell/shared/kafka/consumer-lag'
import { createPacer } from '@dropbell/shared/kafka/pacing'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import { connectEngines } from './connect-engines.ts'
import { createDetectConsumer } from './detect-consumer.ts'
import { createFanoutConsumer, pacedBy } from './fanout-consumer.ts'
import type { InventoryConsumerConfig } from './service-config.ts'
import { createServiceParts } from './service-parts.ts'

export const service = 'inventory-consumer'

export interface App {
  operations: { host: string; port: number }
}

export const startApp = async (context: AppContext<InventoryConsumerConfig>): Promise<App> => {
  const { config, log, shutdown } = context
  const registry = createMetrics({ service })
  const engines = connectEngines({ config, log, service }, shutdown)
  const { kafka, gateRedis, postgres, probes } = engines
  // What would make every record fail is better found out before the first one is read.
  await gateRedis.start()
  await assertMigrated(postgres)
  await engines.readFields()
  const parts = await createServiceParts(context, engines, registry)

  const consumers = {
    ...(config.ROLE !== 'fanout' && { detect: createDetectConsumer(parts) }),
    ...(config.ROLE !== 'detect' && { fanout: createFanoutConsumer(parts, openPacer()) }),
  }
  function openPacer() {
    const lag = createConsumerLag({ kafka, ...pacedBy, requireConsumer: config.PACING_REQUIRE_CONSUMER })
    shutdown.add('consumer lag', lag.close)
    return createPacer({ lag, maxLag: config.PACING_MAX_LAG, registry, log })
  }

  const operations = createOperationsServer({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    registry,
    log,
    dependencies: probes,
    stopping: shutdown.stopping,
    liveness: Object.fromEntries(Object.entries(consumers).map(([role, { isAlive }]) => [role, isAlive])),
  })
  shutdown.add('operations server', operations.close)
  const address = await operations.listen()
  const all = Object.values(consumers)
  shutdown.add('consumers', () => Promise.all(all.map((consumer) => consumer.stop())))
  await Promise.all(all.map((consumer) => consumer.start()))
  return { operations: address }
}
