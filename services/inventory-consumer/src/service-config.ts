import { notificationConfig } from '@dropbell/notification-producer/config'
import { indexConfig } from '@dropbell/schemas/index-config'
import { type Config, defineConfig } from '@dropbell/shared/config'
import { consumerConfig } from '@dropbell/shared/config/consumer'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { pacingConfig } from '@dropbell/shared/config/pacing'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'
import { inventoryConfig } from './config.ts'

/** Everything this service is told by its environment. */
export const inventoryConsumerSchema = defineConfig(
  serviceConfig,
  kafkaConfig,
  schemaRegistryConfig,
  redisConfig,
  elasticsearchConfig,
  postgresConfig,
  consumerConfig,
  dlqConfig,
  notificationConfig,
  pacingConfig,
  indexConfig,
  inventoryConfig,
)

export type InventoryConsumerConfig = Config<typeof inventoryConsumerSchema>
