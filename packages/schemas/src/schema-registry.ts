import type { AvroTypeDefinition } from './contract.ts'

/**
 * What the codec asks of a registry. An id or a schema that is not there is an answer (`undefined`); a registry that
 * cannot answer throws a `RegistryUnavailableError`.
 */
export interface SchemaRegistry {
  /** The text of the schema with this id. */
  schemaById(id: number): Promise<string | undefined>
  /** The id of exactly this schema in this subject. Never registers it. */
  idOfSchema(subject: string, schema: AvroTypeDefinition): Promise<number | undefined>
}
