import { inject } from 'vitest'

/** What every engine of the test run's stack adds to the environment. */
export interface TestEnv {
  KAFKA_BROKERS: string
  SCHEMA_REGISTRY_URL: string
  ELASTICSEARCH_URL: string
  REDIS_URL: string
  DATABASE_URL: string
  FCM_ENDPOINT: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stackEnv: TestEnv
  }
}

/** The variables of the real engines that this test run has started. They are shared: isolate yourself by names. */
export const testEnv = (): TestEnv => inject('stackEnv')
