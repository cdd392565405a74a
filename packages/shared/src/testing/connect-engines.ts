import { elasticsearchConfig } from '../config/elasticsearch.ts'
import { kafkaConfig } from '../config/kafka.ts'
import { postgresConfig } from '../config/postgres.ts'
import { redisConfig } from '../config/redis.ts'
import { defineConfig, type Environment, loadConfig } from '../config.ts'
import { createElasticsearch } from '../elasticsearch.ts'
import { createKafka } from '../kafka/connect.ts'
import type { Logger } from '../log.ts'
import { createPostgres } from '../postgres.ts'
import { createRedis } from '../redis.ts'

const schema = defineConfig(kafkaConfig, redisConfig, elasticsearchConfig, postgresConfig)

export interface ConnectOptions {
  env: Environment
  log: Logger
  probeTimeoutMs?: number
}

/** Connections to all engines, as a service makes them. */
export const connectEngines = ({ env, log, probeTimeoutMs }: ConnectOptions) => {
  const config = loadConfig(schema, env)
  const options = { config, log, service: 'connections-test', ...(probeTimeoutMs !== undefined && { probeTimeoutMs }) }
  return {
    kafka: createKafka(options),
    redis: createRedis(options),
    elasticsearch: createElasticsearch(options),
    postgres: createPostgres(options),
  }
}
