import { createGateRedis } from '@dropbell/notification-producer/gate-redis'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { createKafka } from '@dropbell/shared/kafka/connect'
import type { Logger } from '@dropbell/shared/log'
import { createPostgres } from '@dropbell/shared/postgres'
import type { Probe } from '@dropbell/shared/probe'
import { createRedis } from '@dropbell/shared/redis'
import type { Shutdown } from '@dropbell/shared/shutdown'
import type { PushSenderConfig } from './service-config.ts'

interface EngineOptions {
  config: PushSenderConfig
  log: Logger
  service: string
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
  const redis = createRedis(options)
  shutdown.add('redis', redis.close)
  const gateRedis = createGateRedis(options)
  shutdown.add('gate redis', gateRedis.close)
  const schemaRegistry = openRegistry(options.config)

  /** By the names under which errors speak of them. */
  const probes: Record<string, Probe> = {
    kafka: kafka.probe,
    'schema-registry': schemaRegistry.probe,
    elasticsearch: elasticsearch.probe,
    postgres: postgres.probe,
    redis: redis.probe,
  }
  return {
    kafka: kafka.client,
    elasticsearch: elasticsearch.client,
    postgres: postgres.client,
    redis: redis.client,
    gateRedis,
    schemaRegistry: schemaRegistry.client,
    probes,
  }
}
