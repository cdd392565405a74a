import { createMemoryRegistry } from './memory-registry.ts'
import { describeRegistry } from './registry-contract.ts'

let subjects = 0
const registry = createMemoryRegistry()
describeRegistry(
  'the registry without HTTP',
  () => registry,
  () => `subject-${++subjects}`,
)
