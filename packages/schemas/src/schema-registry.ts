import type { AvroTypeDefinition } from './contract.ts'

/**
 * What the codec asks of a registry. An id or a schema that is not there is an answer (`undefined`); a registry that
 * cannot answer throws a `RegistryUnavailableError`.
 */
export interface SchemaRegistry {
  /**
   * The schema with this id as JSON: its meaning, not letter by letter what was registered. One that is there but is
   * no Avro throws a `NotAvroError`.
   */
  schemaById(id: number): Promise<string | undefined>
  /** The id of exactly this schema in this subject. Never registers it. */
  idOfSchema(subject: string, schema: AvroTypeDefinition): Promise<number | undefined>
}
