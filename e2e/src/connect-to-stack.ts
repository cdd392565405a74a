import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { createKafka } from '@dropbell/shared/kafka/connect'
import type { Logger } from '@dropbell/shared/log'
import { createPostgres } from '@dropbell/shared/postgres'
import { createRedis } from '@dropbell/shared/redis'

const schema = defineConfig(kafkaConfig, redisConfig, elasticsearchConfig, postgresConfig)

/** Connections to all engines of a stack, made as a service makes them. */
export const connectToStack = (env: Environment, log: Logger) => {
  const options = { config: loadConfig(schema, env), log, service: 'demo' }
  return {
    kafka: createKafka(options),
    redis: createRedis(options),
    elasticsearch: createElasticsearch(options),
    postgres: createPostgres(options),
  }
}
