import { historyConfig } from '@dropbell/schemas/history/history-config'
import { type Config, defineConfig } from '@dropbell/shared/config'
import { consumerConfig } from '@dropbell/shared/config/consumer'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'

/** Everything this service is told by its environment. */
export const historyIndexerSchema = defineConfig(
  serviceConfig,
  kafkaConfig,
  schemaRegistryConfig,
  elasticsearchConfig,
  consumerConfig,
  dlqConfig,
  historyConfig,
)

export type HistoryIndexerConfig = Config<typeof historyIndexerSchema>
