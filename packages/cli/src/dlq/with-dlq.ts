import { type Config, defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { type KafkaClients, type WithKafkaOptions, withKafka } from '../kafka/with-kafka.ts'
import { type Session, withFlags } from '../session.ts'

const schema = defineConfig(kafkaConfig, dlqConfig)

export type DlqClients = KafkaClients & { readonly suffix: string }

/** What every command about dead letters begins with. */
export const withDlq = <T>(
  session: Session,
  options: { readonly brokers?: string },
  work: (clients: DlqClients) => Promise<T>,
  kafkaOptions: WithKafkaOptions = {},
): Promise<T> => {
  const config: Config<typeof schema> = loadConfig(schema, withFlags(session.env, { KAFKA_BROKERS: options.brokers }))
  return withKafka(session, config, (clients) => work({ ...clients, suffix: config.DLQ_TOPIC_SUFFIX }), kafkaOptions)
}
