import { newestVersion, type SchemaHistory } from '../src/contract.ts'
import { namedDefinitionsOf } from './named-definitions.ts'

/**
 * Which history's file declares a type that several schemas repeat: one of the type's own namespace, if there is one.
 * The others import it.
 */
export function findTypeOwners(histories: readonly SchemaHistory[]): Map<string, SchemaHistory> {
  const owners = new Map<string, SchemaHistory>()
  for (const history of histories) {
    const { schema } = newestVersion(history)
    for (const fullName of namedDefinitionsOf(schema).keys()) {
      const isAtHome = fullName.startsWith(`${schema.namespace}.`)
      if (isAtHome || !owners.has(fullName)) owners.set(fullName, history)
    }
  }
  return owners
}
