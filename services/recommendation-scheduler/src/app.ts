import { assertMigrated } from '@dropbell/database/assert-migrated'
import { type Clock, systemClock } from '@dropbell/notification-producer/clock'
import { defaultKeyPrefix } from '@dropbell/notification-producer/gate-keys'
import { createMetrics } from '@dropbell/shared/metrics'
import { createOperationsServer, type OperationsServerOptions } from '@dropbell/shared/operations-server'
import type { AppContext } from '@dropbell/shared/run-service'
import type { Registry } from 'prom-client'
import { connectEngines } from './connect-engines.ts'
import { createRunRoutes } from './run-routes.ts'
import { createRunSchedule } from './run-schedule.ts'
import type { RecommendationSchedulerConfig } from './service-config.ts'
import { createServiceParts } from './service-parts.ts'
import { watchSchedule } from './watch-schedule.ts'

export const service = 'recommendation-scheduler'

export interface App {
  operations: { host: string; port: number }
}

/** What a test or a bench may put in the place of the real thing. */
export interface AppParts {
  clock?: Clock
  /** Of the keys in Redis. */
  prefix?: string
  lookAgainMs?: number
}

type Context = AppContext<RecommendationSchedulerConfig>

export const startApp = async (context: Context, parts: AppParts = {}): Promise<App> => {
  const { config, log } = context
  const registry = createMetrics({ service })
  if (config.RECOMMENDATION_ENABLED) return startEnabled(context, registry, parts)
  log.info('recommendations are not enabled: nothing is connected, nothing runs')
  return serveOperations(context, registry, { dependencies: {} })
}

const startEnabled = async (
  context: Context,
  registry: Registry,
  { clock = systemClock, prefix = defaultKeyPrefix, ...parts }: AppParts,
): Promise<App> => {
  const { config, log, shutdown } = context
  const engines = connectEngines({ config, log, service, prefix }, shutdown)
  // What would make every run fail is better found out before the first one.
  await engines.gateRedis.start()
  await assertMigrated(engines.postgres)
  await engines.readFields()
  const { runs, metrics } = await createServiceParts(context, engines, { registry, clock, prefix })
  shutdown.add('run', runs.stop)

  const schedule = createRunSchedule({
    cron: config.RECOMMENDATION_CRON,
    zone: config.RECOMMENDATION_ZONE,
    catchUpUntil: config.RECOMMENDATION_CATCH_UP_UNTIL,
  })
  const pool = engines.postgres
  const watch = watchSchedule({ schedule, runs, pool, config, clock, metrics, log, ...parts })
  shutdown.add('schedule', watch.stop)
  const token = config.RECOMMENDATION_TRIGGER_TOKEN
  return serveOperations(context, registry, {
    dependencies: engines.probes,
    liveness: { schedule: watch.isAlive },
    routes: token === undefined ? [] : createRunRoutes({ token, runs, schedule, pool, config, clock, metrics, log }),
  })
}

const serveOperations = async (
  { config, log, shutdown }: Context,
  registry: Registry,
  options: Pick<OperationsServerOptions, 'dependencies' | 'liveness' | 'routes'>,
): Promise<App> => {
  const server = createOperationsServer({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    registry,
    log,
    stopping: shutdown.stopping,
    ...options,
  })
  shutdown.add('operations server', server.close)
  return { operations: await server.listen() }
}
