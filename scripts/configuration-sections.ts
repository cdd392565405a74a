import { topicsConfig } from '@dropbell/cli/config'
import { inventoryConfig } from '@dropbell/inventory-consumer/config'
import { notificationConfig } from '@dropbell/notification-producer/config'
import { senderConfig } from '@dropbell/push-sender/config'
import { emailConfig } from '@dropbell/push-sender/email/config'
import { fcmConfig } from '@dropbell/push-sender/fcm/config'
import { inAppConfig } from '@dropbell/push-sender/in-app/config'
import { smsConfig } from '@dropbell/push-sender/sms/config'
import { recommendationConfig } from '@dropbell/recommendation-scheduler/config'
import { historyConfig } from '@dropbell/schemas/history/history-config'
import { indexConfig } from '@dropbell/schemas/index-config'
import { schedulerUrlConfig, triggerTokenConfig } from '@dropbell/schemas/recommendation-runs'
import { type ConfigRow, type ConfigShape, describeConfig } from '@dropbell/shared/config'
import { consumerConfig } from '@dropbell/shared/config/consumer'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { pacingConfig } from '@dropbell/shared/config/pacing'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'

export interface ConfigurationSection {
  title: string
  schema: { shape: ConfigShape }
}

/** Every variable of every service, in the order in which an operator meets them. */
export const configurationSections: ConfigurationSection[] = [
  { title: 'Every service', schema: serviceConfig },
  { title: 'Kafka', schema: kafkaConfig },
  { title: 'Schema registry', schema: schemaRegistryConfig },
  { title: 'Redis', schema: redisConfig },
  { title: 'Elasticsearch', schema: elasticsearchConfig },
  { title: 'Postgres', schema: postgresConfig },
  { title: 'Every consumer of a topic', schema: consumerConfig },
  { title: 'Dead letters', schema: dlqConfig },
  { title: 'Notifications', schema: notificationConfig },
  { title: 'Pacing', schema: pacingConfig },
  { title: 'Indices', schema: indexConfig },
  { title: 'History', schema: historyConfig },
  { title: 'inventory-consumer', schema: inventoryConfig },
  { title: 'push-sender', schema: senderConfig },
  { title: 'Firebase Cloud Messaging', schema: fcmConfig },
  { title: 'Text messages', schema: smsConfig },
  { title: 'E-mail', schema: emailConfig },
  { title: 'In the app', schema: inAppConfig },
  { title: 'recommendation-scheduler', schema: recommendationConfig },
  {
    title: 'Recommendations by hand',
    schema: { shape: { ...triggerTokenConfig.shape, ...schedulerUrlConfig.shape } },
  },
  { title: 'dropbell topics', schema: topicsConfig },
]

export const allVariables = (): ConfigRow[] => configurationSections.flatMap(({ schema }) => describeConfig(schema))
