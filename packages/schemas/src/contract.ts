/** An Avro schema as it stands in an `.avsc` file. */
export type AvroSchema = string | AvroSchema[] | AvroTypeDefinition

export interface AvroTypeDefinition {
  readonly type: AvroSchema
  readonly name?: string
  readonly namespace?: string
  readonly doc?: string
  readonly logicalType?: string
  readonly fields?: readonly AvroField[]
  readonly symbols?: readonly string[]
  readonly items?: AvroSchema
  readonly values?: AvroSchema
}

export interface AvroField {
  readonly name: string
  readonly type: AvroSchema
  readonly doc?: string
  readonly default?: unknown
  /** Where version 1 of ProductInventoryEvent has it. Avro itself reads it inside the type only. */
  readonly logicalType?: string
}

export interface SchemaVersion {
  readonly version: number
  readonly schema: AvroTypeDefinition
}

/** One record type and every version of it that was ever published, oldest first. */
export interface SchemaHistory {
  readonly name: string
  readonly versions: readonly SchemaVersion[]
}

declare const carries: unique symbol

/** A history whose newest version is what `T` describes. Made by `scripts/generate.ts`. */
export interface Contract<T> extends SchemaHistory {
  readonly [carries]?: T
}

export function newestVersion(history: SchemaHistory): SchemaVersion {
  const newest = history.versions.at(-1)
  if (newest === undefined) throw new Error(`${history.name} has no schema version`)
  return newest
}
