import type { Clock } from '@dropbell/notification-producer/clock'
import { createAdmission } from '@dropbell/notification-producer/create-admission'
import { createGate } from '@dropbell/notification-producer/gate'
import { createNotificationMetrics } from '@dropbell/notification-producer/notification-metrics'
import { createBatchPublisher } from '@dropbell/notification-producer/publish-batches'
import { createCodec } from '@dropbell/schemas/codec'
import { notificationOutcomeTopic, notificationPushTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { createConsumerLag } from '@dropbell/shared/kafka/consumer-lag'
import { createPacer } from '@dropbell/shared/kafka/pacing'
import { createPublisher } from '@dropbell/shared/kafka/publisher'
import { createLock } from '@dropbell/shared/redis/lock'
import type { AppContext } from '@dropbell/shared/run-service'
import type { Registry } from 'prom-client'
import { createAcquireRun } from './acquire-run.ts'
import { createActiveUsers } from './active-users.ts'
import type { Engines } from './connect-engines.ts'
import { createExecuteRun } from './execute-run.ts'
import { createProduceRecommendations, jobName } from './produce-recommendations.ts'
import { createRecommendationApi } from './recommendation-api.ts'
import { createRunBatch } from './run-batch.ts'
import { createRuns } from './runs.ts'
import { createSchedulerMetrics } from './scheduler-metrics.ts'
import type { RecommendationSchedulerConfig } from './service-config.ts'

interface PartsOptions {
  registry: Registry
  clock: Clock
  prefix: string
}

/** The group whose lag paces the batch. */
const pacedBy = { groupId: sharedGroupOf(notificationPushTopic), topic: notificationPushTopic.name } as const

export const createServiceParts = async (
  { config, log, shutdown }: AppContext<RecommendationSchedulerConfig>,
  { kafka, elasticsearch, postgres: pool, gateRedis, schemaRegistry, readFields }: Engines,
  { registry, clock, prefix }: PartsOptions,
) => {
  const codecs = {
    notification: createCodec({ topic: notificationPushTopic, registry: schemaRegistry }),
    outcome: createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry }),
  }
  await Promise.all(Object.values(codecs).map((codec) => codec.encodeBatch([]))) // are they registered?
  const metrics = { ...createNotificationMetrics(registry), ...createSchedulerMetrics(registry) }
  const gate = createGate({ redis: gateRedis, config, prefix })
  const admit = createAdmission({ pool, gate, metrics, log })
  const publisher = createPublisher({ kafka, log })
  shutdown.add('publisher', publisher.close)
  const publish = createBatchPublisher({ codecs, publisher, clock, metrics })
  const api = createRecommendationApi({ config, metrics, log })
  shutdown.add('recommendation api', api.close)
  const lag = createConsumerLag({ kafka, ...pacedBy, requireConsumer: config.PACING_REQUIRE_CONSUMER })
  shutdown.add('consumer lag', lag.close)
  const pacer = createPacer({ lag, maxLag: config.PACING_MAX_LAG, registry, log })

  const activeUsers = createActiveUsers({ client: elasticsearch, config, readFields })
  const produce = createProduceRecommendations({ admit, api, publish, config, clock })
  const runBatch = createRunBatch({ pool, activeUsers, produce, gate, pacer, config, metrics, log })
  const lock = createLock({
    key: `${prefix}:lock:${jobName}`,
    // The gate's connection: it waits for nobody, and is known to lead to a Redis that does not forget.
    connect: gateRedis.ready,
    atMostMs: config.RECOMMENDATION_LOCK_AT_MOST_MS,
    atLeastMs: config.RECOMMENDATION_LOCK_AT_LEAST_MS,
    log,
  })
  const acquireRun = createAcquireRun({ pool, lock, config, clock })
  const runs = createRuns(acquireRun, createExecuteRun({ pool, runBatch, activeUsers, config, clock, metrics, log }))
  return { runs, metrics }
}
