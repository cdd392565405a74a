import { offerConfig } from '@dropbell/offers/offer-config'
import { historyConfig } from '@dropbell/schemas/history/history-config'
import { indexConfig } from '@dropbell/schemas/index-config'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { type Config, defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { createKafka, kafkaSettings } from '@dropbell/shared/kafka/connect'
import { createTopicReader } from '@dropbell/shared/kafka/topic-reader'
import { createPostgres } from '@dropbell/shared/postgres'
import { createRedis } from '@dropbell/shared/redis'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { TraceEngines } from '@dropbell/trace/create-trace-sources'
import { type Session, withFlags } from '../session.ts'

const schema = defineConfig(
  kafkaConfig,
  schemaRegistryConfig,
  redisConfig,
  elasticsearchConfig,
  dlqConfig,
  indexConfig,
  historyConfig,
  offerConfig,
)
const ledgerSchema = defineConfig(postgresConfig)

export type TraceConfig = Config<typeof schema>

export interface EngineFlags {
  readonly brokers?: string
  readonly registry?: string
  readonly redis?: string
  readonly elasticsearch?: string
  readonly database?: string
}

const service = 'dropbell-cli'
const answerTimeoutMs = 5_000
const closeTimeoutMs = 1_000

/** Lends clients that connect when they are first asked. Postgres has no default address: without one it is left out. */
export const withTraceEngines = async <T>(
  { env, log }: Session,
  flags: EngineFlags,
  work: (engines: TraceEngines, config: TraceConfig) => Promise<T>,
): Promise<T> => {
  const variables = withFlags(env, {
    KAFKA_BROKERS: flags.brokers,
    SCHEMA_REGISTRY_URL: flags.registry,
    REDIS_URL: flags.redis,
    ELASTICSEARCH_URL: flags.elasticsearch,
    DATABASE_URL: flags.database,
  })
  const config = loadConfig(schema, variables)
  const hasLedger = Boolean(variables.DATABASE_URL?.trim())
  const postgres = hasLedger ? createPostgres({ config: loadConfig(ledgerSchema, variables), log, service }) : undefined
  const kafka = createKafka({ config, log, service, probeTimeoutMs: answerTimeoutMs })
  const reader = createTopicReader(kafka.client, kafkaSettings({ config, service }))
  const redis = createRedis({ config, log, service })
  const elasticsearch = createElasticsearch({ config, service })
  const engines: TraceEngines = {
    kafka: { reader, probe: kafka.probe, registry: openRegistry(config).client },
    redis: redis.client,
    elasticsearch: elasticsearch.client,
    postgres: postgres?.client,
  }
  try {
    return await work(engines, config)
  } finally {
    const closing = [reader, kafka, redis, elasticsearch, postgres].map((engine) => engine?.close())
    await withDeadline(Promise.allSettled(closing), closeTimeoutMs, () => new Error('Closing took too long')).catch(
      () => undefined,
    )
  }
}
