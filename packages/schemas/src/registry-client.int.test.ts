import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createRegistryClient } from './registry-client.ts'
import { describeRegistry } from './testing/registry-contract.ts'

describeRegistry(
  'the registry over HTTP',
  () => createRegistryClient({ url: testEnv().SCHEMA_REGISTRY_URL }),
  () => `contract-${randomUUID()}-value`,
)
