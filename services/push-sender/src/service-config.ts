import { notificationConfig } from '@dropbell/notification-producer/config'
import { type Config, type ConfigFragment, defineConfig } from '@dropbell/shared/config'
import { consumerConfig } from '@dropbell/shared/config/consumer'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { serviceConfig } from '@dropbell/shared/config/service'
import { senderConfig } from './config.ts'
import { fcmConfig } from './fcm/config.ts'

const { shape } = notificationConfig

/** A writer of version 1 does not say how long a notification is good for: the same rules as for a producer of ours. */
const validityConfig = {
  shape: {
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
  postgresConfig,
  consumerConfig,
  dlqConfig,
  validityConfig,
  senderConfig,
  fcmConfig,
)

export type PushSenderConfig = Config<typeof pushSenderSchema>
