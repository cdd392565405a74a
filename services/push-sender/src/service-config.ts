import { notificationConfig } from '@dropbell/notification-producer/config'
import { indexConfig } from '@dropbell/schemas/index-config'
import { type Config, type ConfigFragment, defineConfig } from '@dropbell/shared/config'
import { consumerConfig } from '@dropbell/shared/config/consumer'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'
import { senderConfig } from './config.ts'
import { emailConfig } from './email/config.ts'
import { fcmConfig } from './fcm/config.ts'
import { inAppConfig } from './in-app/config.ts'
import { smsConfig } from './sms/config.ts'

const { shape } = notificationConfig

/**
 * The same rules as for a producer of ours: how long a notification is good for, of which a writer of version 1 does not
 * speak, and how many a day there may be for what is sent a day later.
 */
const producerRules = {
  shape: {
    DAILY_LIMIT_PER_USER: shape.DAILY_LIMIT_PER_USER,
    DUPLICATE_PREVENTION_HOURS: shape.DUPLICATE_PREVENTION_HOURS,
    GATE_REDIS_CHECK: shape.GATE_REDIS_CHECK,
    NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS: shape.NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS,
    NOTIFICATION_VALIDITY_REMINDER_HOURS: shape.NOTIFICATION_VALIDITY_REMINDER_HOURS,
    NOTIFICATION_VALIDITY_TRANSACTIONAL_HOURS: shape.NOTIFICATION_VALIDITY_TRANSACTIONAL_HOURS,
  },
} satisfies ConfigFragment

/** Everything this service is told by its environment. */
export const pushSenderSchema = defineConfig(
  serviceConfig,
  kafkaConfig,
  schemaRegistryConfig,
  redisConfig,
  elasticsearchConfig,
  postgresConfig,
  consumerConfig,
  dlqConfig,
  producerRules,
  indexConfig,
  senderConfig,
  fcmConfig,
  smsConfig,
  emailConfig,
  inAppConfig,
)

export type PushSenderConfig = Config<typeof pushSenderSchema>
