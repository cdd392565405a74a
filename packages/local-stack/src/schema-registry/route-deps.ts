import type { Registry } from './registry.ts'
import type { RegistryStore } from './registry-store.ts'

/** Routes write through the registry and read from the store. */
export interface RouteDeps {
  readonly registry: Registry
  readonly store: RegistryStore
}
