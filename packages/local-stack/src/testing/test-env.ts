import { inject } from 'vitest'

/** What every engine of the test run's stack adds to the environment. */
export interface TestEnv {
  KAFKA_BROKERS: string
  SCHEMA_REGISTRY_URL: string
  ELASTICSEARCH_URL: string
  REDIS_URL: string
  DATABASE_URL: string
  FCM_ENDPOINT: string
  SMS_GATEWAY_URL: string
  SMTP_URL: string
  SMTP_ALLOW_PLAINTEXT: string
  SMTP_SINK_URL: string
  EMAIL_FROM: string
  EMAIL_UNSUBSCRIBE_URL: string
  RECOMMENDATION_API_URL: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stackEnv: TestEnv
  }
}

/** The variables of the real engines that this test run has started. They are shared: isolate yourself by names. */
export const testEnv = (): TestEnv => inject('stackEnv')
