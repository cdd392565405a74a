import { Kafka, type KafkaConfig as KafkaSettings, type SASLOptions } from 'kafkajs'
import { caOptions } from '../ca-file.ts'
import type { KafkaConfig } from '../config/kafka.ts'
import type { Logger } from '../log.ts'
import { type Connection, createProbe, defaultProbeTimeoutMs } from '../probe.ts'
import { createKafkaLog, kafkaLogLevel } from './client-log.ts'
import { installIdleTimerGuard } from './idle-timer-guard.ts'
import { createRenewableAdmin } from './renewable-admin.ts'

export interface KafkaOptions {
  config: KafkaConfig
  log: Logger
  /** Client id if the configuration has none. */
  service: string
  probeTimeoutMs?: number
}

/** Written out because kafkajs takes others when NODE_ENV is "test". A consumer's `retries` has to be set on it again. */
export const kafkaRetry = { initialRetryTime: 300, maxRetryTime: 30_000, factor: 0.2, multiplier: 2, retries: 5 }

export const kafkaSettings = ({ config, service }: Pick<KafkaOptions, 'config' | 'service'>): KafkaSettings => {
  const sasl = saslOptions(config)
  return {
    brokers: config.KAFKA_BROKERS,
    clientId: config.KAFKA_CLIENT_ID ?? service,
    ...(config.KAFKA_SSL && { ssl: { rejectUnauthorized: true, ...caOptions(config.KAFKA_SSL_CA_FILE) } }),
    ...(sasl && { sasl }),
    connectionTimeout: 3_000,
    authenticationTimeout: 10_000,
    requestTimeout: 30_000,
    enforceRequestTimeout: true,
    retry: kafkaRetry,
  }
}

const saslOptions = (config: KafkaConfig): SASLOptions | undefined => {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config
  if (mechanism === undefined || username === undefined || password === undefined) return undefined
  return { mechanism, username, password } as SASLOptions
}

/** Producers and consumers made from `client` belong to whoever makes them; `close` ends what the probe opened. */
export const createKafka = (options: KafkaOptions): Connection<Kafka> => {
  installIdleTimerGuard()
  const { log, probeTimeoutMs = defaultProbeTimeoutMs } = options
  const settings: KafkaSettings = { ...kafkaSettings(options), logLevel: kafkaLogLevel(log) }
  const probing = createRenewableAdmin(
    new Kafka({
      ...settings,
      // One attempt within the time of a probe, and no error lines: who probes is told the outcome.
      connectionTimeout: probeTimeoutMs,
      requestTimeout: probeTimeoutMs,
      retry: { ...kafkaRetry, retries: 0 },
      logCreator: createKafkaLog(log, { quiet: true }),
    }),
  )
  return {
    client: new Kafka({ ...settings, logCreator: createKafkaLog(log) }),
    probe: createProbe({
      code: 'KAFKA_UNAVAILABLE',
      name: 'Kafka',
      timeoutMs: probeTimeoutMs,
      request: () => probing.use((admin) => admin.describeCluster()),
    }),
    close: probing.close,
  }
}
