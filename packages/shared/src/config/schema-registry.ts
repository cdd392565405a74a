import type { Config, ConfigFragment } from '../config.ts'
import { checkNotInUrl, checkPair } from './credential-checks.ts'
import { secret, text, url } from './variables.ts'

const shape = {
  SCHEMA_REGISTRY_URL: url('http', 'https')
    .default('http://localhost:8081')
    .describe('Confluent-compatible schema registry.'),
  SCHEMA_REGISTRY_USERNAME: text().optional().describe('User, with SCHEMA_REGISTRY_PASSWORD.'),
  SCHEMA_REGISTRY_PASSWORD: secret().optional().describe('Password, with SCHEMA_REGISTRY_USERNAME.'),
}

export const schemaRegistryConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    checkPair(values, fault, 'SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD')
    checkNotInUrl(values, fault, 'SCHEMA_REGISTRY_URL', ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'])
  },
}

export type SchemaRegistryConfig = Config<typeof schemaRegistryConfig>
