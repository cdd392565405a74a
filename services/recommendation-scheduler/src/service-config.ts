import { notificationConfig } from '@dropbell/notification-producer/config'
import { indexConfig } from '@dropbell/schemas/index-config'
import { triggerTokenConfig } from '@dropbell/schemas/recommendation-runs'
import { type Config, defineConfig } from '@dropbell/shared/config'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { pacingConfig } from '@dropbell/shared/config/pacing'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'
import { recommendationConfig } from './config.ts'

/** Everything this service is told by its environment. */
export const recommendationSchedulerSchema = defineConfig(
  serviceConfig,
  kafkaConfig,
  schemaRegistryConfig,
  redisConfig,
  elasticsearchConfig,
  postgresConfig,
  notificationConfig,
  pacingConfig,
  indexConfig,
  triggerTokenConfig,
  recommendationConfig,
)

export type RecommendationSchedulerConfig = Config<typeof recommendationSchedulerSchema>
