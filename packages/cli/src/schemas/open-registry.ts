import { createRegistryClient, type RegistryClient } from '@dropbell/schemas/registry-client'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { redactCredentials } from '@dropbell/shared/redact-credentials'

export interface OpenRegistry {
  readonly client: RegistryClient
  /** As it may be shown. */
  readonly address: string
}

const schema = defineConfig(schemaRegistryConfig)

export const openRegistry = (env: Environment): OpenRegistry => {
  const config = loadConfig(schema, env)
  const url = new URL(config.SCHEMA_REGISTRY_URL)
  // The client decodes what it finds here, so that every character survives.
  if (config.SCHEMA_REGISTRY_USERNAME !== undefined) url.username = encodeURIComponent(config.SCHEMA_REGISTRY_USERNAME)
  if (config.SCHEMA_REGISTRY_PASSWORD !== undefined) url.password = encodeURIComponent(config.SCHEMA_REGISTRY_PASSWORD)
  return { client: createRegistryClient({ url: url.href }), address: redactCredentials(config.SCHEMA_REGISTRY_URL) }
}

/** The default address is for commands that cannot do without a registry; who only may use one asks this first. */
export const isRegistryGiven = (env: Environment): boolean => (env.SCHEMA_REGISTRY_URL ?? '').trim() !== ''
