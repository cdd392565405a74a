import type { Config, ConfigFragment } from '../config.ts'
import { checkCaFile, checkPair } from './credential-checks.ts'
import { commaList, filePath, flag, oneOf, secret, text } from './variables.ts'

const shape = {
  KAFKA_BROKERS: commaList({ item: /^[^\s:/@]+:\d{1,5}$/, expected: 'host:port, several separated by commas' })
    .default(['localhost:9092'])
    .describe('Brokers to bootstrap from.'),
  KAFKA_CLIENT_ID: text().optional().describe("Name in the brokers' logs and quotas; the service's name if unset."),
  KAFKA_SSL: flag().default(false).describe('Whether to talk TLS to the brokers.'),
  KAFKA_SSL_CA_FILE: filePath().optional().describe("CA of the brokers' certificates, if it is not a public one."),
  KAFKA_SASL_MECHANISM: oneOf(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('How to authenticate; unset for not at all.'),
  KAFKA_SASL_USERNAME: text().optional().describe('User, with KAFKA_SASL_MECHANISM.'),
  KAFKA_SASL_PASSWORD: secret().optional().describe('Password, with KAFKA_SASL_MECHANISM.'),
}

export const kafkaConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    checkPair(values, fault, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME')
    checkPair(values, fault, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD')
    checkCaFile(values, fault, 'KAFKA_SSL_CA_FILE', {
      used: values.KAFKA_SSL !== false,
      condition: 'KAFKA_SSL is true',
    })
  },
}

export type KafkaConfig = Config<typeof kafkaConfig>
