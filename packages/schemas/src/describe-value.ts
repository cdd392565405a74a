import { TransientError } from '@dropbell/shared/errors'
import type { SchemaRegistry } from './schema-registry.ts'
import { parseAvro } from './strict-avro.ts'
import { HEADER_BYTES, readSchemaId } from './wire-format.ts'

/** A value of which nobody says what it is supposed to be. */
export type DescribedValue =
  | { readonly kind: 'avro'; readonly schemaId: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly why: string }

/**
 * As its writer saw it, with the writer's own schema: for people to look at. Bytes that are no Avro, or not what they
 * claim to be, are an answer; a registry that cannot answer throws.
 */
export const describeValue = async (
  registry: Pick<SchemaRegistry, 'schemaById'>,
  bytes: Buffer | null,
): Promise<DescribedValue> => {
  if (bytes === null) return { kind: 'none' }
  const schemaId = readSchemaId(bytes)
  if (schemaId === undefined) return { kind: 'bytes', why: 'it does not begin as Avro of a registry does' }
  try {
    const schema = await registry.schemaById(schemaId)
    if (schema === undefined) return { kind: 'bytes', why: `the registry has no schema ${schemaId}` }
    const type = parseAvro(JSON.parse(schema))
    const { value, offset } = type.decode(bytes, HEADER_BYTES)
    if (offset !== bytes.length) return { kind: 'bytes', why: `its length is not that of schema ${schemaId}` }
    return { kind: 'avro', schemaId, name: type.name ?? type.typeName, value: toPlain(value) }
  } catch (error) {
    if (error instanceof TransientError) throw error
    return { kind: 'bytes', why: `it cannot be read with schema ${schemaId}: ${(error as Error).message}` }
  }
}

/** As JSON can say it; bytes as hex. */
const toPlain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, inner) => (isBytes(inner) ? Buffer.from(inner.data).toString('hex') : inner)))

/** A Buffer, as JSON sees it. */
const isBytes = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
