import avro from 'avsc'
import { type AvroTypeDefinition, newestVersion, type SchemaHistory } from './contract.ts'
import { compareWithLock, type HistoryLock } from './history-lock.ts'

/** All that can be wrong with the committed schemas, in words. Empty if nothing is. */
export function findContractFaults(histories: readonly SchemaHistory[], lock: HistoryLock): string[] {
  return [
    ...compareWithLock(histories, lock),
    ...histories.flatMap(findIncompatibleVersions),
    ...findDivergingTypes(histories),
  ]
}

/**
 * BACKWARD, against every earlier version and not only the one before: topics keep records for weeks and dead letters
 * for months, so a reader meets all of them.
 */
export function findIncompatibleVersions(history: SchemaHistory): string[] {
  return history.versions.flatMap((reader, index) =>
    history.versions.slice(0, index).flatMap((writer) => {
      const why = whyUnreadable(reader.schema, writer.schema)
      const pair = `${history.name} v${reader.version} cannot read v${writer.version}`
      return why === undefined ? [] : [`${pair}: ${why}. Give new fields a default, and never remove a symbol.`]
    }),
  )
}

/** Why a reader cannot read what a writer of another version wrote; undefined if it can. */
export function whyUnreadable(reader: AvroTypeDefinition, writer: AvroTypeDefinition): string | undefined {
  try {
    typeOf(reader).createResolver(typeOf(writer))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const typeOf = (schema: AvroTypeDefinition): avro.Type => avro.Type.forSchema(schema as avro.Schema)

/**
 * Avro files repeat the types they share. If the newest copies differed, an outcome could not carry a type that a
 * notification can.
 */
export function findDivergingTypes(histories: readonly SchemaHistory[]): string[] {
  const seen = new Map<string, { owner: string; type: avro.Type }>()
  const faults: string[] = []
  for (const history of histories) {
    for (const type of namedTypesOf(newestVersion(history).schema)) {
      const name = String(type.name)
      const first = seen.get(name)
      if (first === undefined) seen.set(name, { owner: history.name, type })
      else if (!first.type.equals(type)) faults.push(`${name} differs between ${first.owner} and ${history.name}.`)
    }
  }
  return faults
}

function namedTypesOf(schema: AvroTypeDefinition): avro.Type[] {
  // avsc leaves every type it meets in the registry it is given.
  const registry: Record<string, avro.Type> = {}
  avro.Type.forSchema(schema as avro.Schema, { registry })
  return Object.values(registry).filter((type) => type.name !== undefined)
}
