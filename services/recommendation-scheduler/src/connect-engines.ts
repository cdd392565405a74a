import { createGateRedis } from '@dropbell/notification-producer/gate-redis'
import { createBehaviorFields } from '@dropbell/schemas/behavior-fields'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { createKafka } from '@dropbell/shared/kafka/connect'
import type { Logger } from '@dropbell/shared/log'
import { createPostgres } from '@dropbell/shared/postgres'
import type { Probe } from '@dropbell/shared/probe'
import type { Shutdown } from '@dropbell/shared/shutdown'
import type { RecommendationSchedulerConfig } from './service-config.ts'

interface EngineOptions {
  config: RecommendationSchedulerConfig
  log: Logger
  service: string
  /** Of the gate's keys. */
  prefix: string
}

export type Engines = ReturnType<typeof connectEngines>

/** Nothing is connected yet when this returns; each is closed by the shutdown, after what uses it. */
export const connectEngines = (options: EngineOptions, shutdown: Shutdown) => {
  const kafka = createKafka(options)
  shutdown.add('kafka', kafka.close)
  const elasticsearch = createElasticsearch(options)
  shutdown.add('elasticsearch', elasticsearch.close)
  const postgres = createPostgres(options)
  shutdown.add('postgres', postgres.close)
  const gateRedis = createGateRedis(options)
  shutdown.add('gate redis', gateRedis.close)
  const schemaRegistry = openRegistry(options.config)
  const readFields = createBehaviorFields({ client: elasticsearch.client, index: options.config.USER_BEHAVIOR_INDEX })

  /** By the names under which errors speak of them. The recommendation API is none of them: without it users are left out. */
  const probes: Record<string, Probe> = {
    kafka: kafka.probe,
    'schema-registry': schemaRegistry.probe,
    // A cluster in good health may still lack the index that the audience is read from.
    elasticsearch: async () => {
      await elasticsearch.probe()
      await readFields()
    },
    postgres: postgres.probe,
    redis: gateRedis.probe,
  }
  return {
    kafka: kafka.client,
    elasticsearch: elasticsearch.client,
    postgres: postgres.client,
    gateRedis,
    readFields,
    schemaRegistry: schemaRegistry.client,
    probes,
  }
}
