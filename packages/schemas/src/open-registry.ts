import type { SchemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { createProbe, type Probe } from '@dropbell/shared/probe'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import { createRegistryClient, type RegistryClient } from './registry-client.ts'
import { productInventoryTopic, subjectOf } from './topics.ts'

export interface OpenRegistry {
  readonly client: RegistryClient
  readonly probe: Probe
  /** As it may be shown. */
  readonly address: string
}

/** The registry that the configuration names. Nothing is asked of it yet. */
export const openRegistry = (config: SchemaRegistryConfig): OpenRegistry => {
  const { SCHEMA_REGISTRY_URL, SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD: password } = config
  const url = new URL(SCHEMA_REGISTRY_URL)
  // The client decodes what it finds here, so that every character survives.
  if (username !== undefined) url.username = encodeURIComponent(username)
  if (password !== undefined) url.password = encodeURIComponent(password)
  const client = createRegistryClient({ url: url.href })
  return {
    client,
    address: redactCredentials(SCHEMA_REGISTRY_URL),
    probe: createProbe({
      code: 'SCHEMA_REGISTRY_UNAVAILABLE',
      name: 'Schema registry',
      // Any question that it answers from what it knows of subjects, not only that something listens there.
      request: () => client.versionsOf(subjectOf(productInventoryTopic)),
    }),
  }
}
