import { type OpenRegistry, openRegistry } from '@dropbell/schemas/open-registry'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'

const schema = defineConfig(schemaRegistryConfig)

export const openRegistryOf = (env: Environment): OpenRegistry => openRegistry(loadConfig(schema, env))

/** The default address is for commands that cannot do without a registry; who only may use one asks this first. */
export const isRegistryGiven = (env: Environment): boolean => (env.SCHEMA_REGISTRY_URL ?? '').trim() !== ''
