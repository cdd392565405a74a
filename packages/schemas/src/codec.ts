import { DropbellError } from '@dropbell/shared/errors'
import { cacheLookup } from './cached-lookup.ts'
import {
  IncompatibleSchemaError,
  NotAvroError,
  SchemaNotRegisteredError,
  UnknownSchemaIdError,
} from './codec-errors.ts'
import { newestVersion } from './contract.ts'
import { createValueDecoder, headerFault } from './decode-value.ts'
import { createValueEncoder } from './encode-value.ts'
import type { SchemaRegistry } from './schema-registry.ts'
import { parseAvro } from './strict-avro.ts'
import { subjectOf, type Topic } from './topics.ts'
import { MAX_SCHEMA_ID, readSchemaId } from './wire-format.ts'

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: DropbellError }

/** Values of one topic to bytes and back. Writes the newest version; reads any version as the newest. */
export interface Codec<T> {
  encode(value: T): Promise<Buffer>
  /** All or nothing: one value that does not fit fails the call. */
  encodeBatch(values: readonly T[]): Promise<Buffer[]>
  decode(bytes: Buffer | null | undefined): Promise<T>
  /** One result per record, in order: a bad record does not take its neighbours along. */
  decodeBatch(records: readonly (Buffer | null | undefined)[]): Promise<Decoded<T>[]>
}

export interface CodecOptions<T> {
  readonly topic: Topic<T>
  readonly registry: SchemaRegistry
}

/**
 * Never registers a schema: what a service may write is decided when `dropbell schemas register` runs, not by
 * whichever instance starts first.
 */
export function createCodec<T>({ topic, registry }: CodecOptions<T>): Codec<T> {
  const subject = subjectOf(topic)
  const { version, schema } = newestVersion(topic.contract)
  const type = parseAvro(schema)
  const encodeValue = createValueEncoder(type, subject)

  const ownId = cacheLookup(async (_: 'own') => {
    const id = await registry.idOfSchema(subject, schema)
    if (id === undefined) throw new SchemaNotRegisteredError(subject, version)
    return id
  })

  const decoders = cacheLookup(async (schemaId: number) => {
    try {
      // Asking for an id that no registry can give out would get an answer that reads like a broken registry.
      const schemaText = schemaId > MAX_SCHEMA_ID ? undefined : await registry.schemaById(schemaId)
      if (schemaText === undefined) throw new UnknownSchemaIdError(subject, schemaId)
      return createValueDecoder<T>(type, { schemaId, schemaText }, subject)
    } catch (error) {
      // Kept like the verdict on any other schema that cannot be read.
      if (error instanceof NotAvroError) return failWith(new IncompatibleSchemaError(subject, schemaId, error))
      throw error
    }
  })

  return {
    async encode(value) {
      return encodeValue(value, ownId.peek('own') ?? (await ownId.get('own')))
    },

    async encodeBatch(values) {
      const id = ownId.peek('own') ?? (await ownId.get('own'))
      return values.map((value) => encodeValue(value, id))
    },

    async decode(bytes) {
      const schemaId = bytes ? readSchemaId(bytes) : undefined
      if (!bytes || schemaId === undefined) throw headerFault(bytes, subject)
      const decodeValue = decoders.peek(schemaId) ?? (await decoders.get(schemaId))
      return decodeValue(bytes)
    },

    async decodeBatch(records) {
      const results = records.map(decodeIfKnown)
      if (results.includes(undefined)) await decodeTheRest(records, results)
      return results as Decoded<T>[]
    },
  }

  /** Undefined where the registry has to be asked first. */
  function decodeIfKnown(bytes: Buffer | null | undefined): Decoded<T> | undefined {
    const schemaId = bytes ? readSchemaId(bytes) : undefined
    if (!bytes || schemaId === undefined) return { ok: false, error: headerFault(bytes, subject) }
    const decodeValue = decoders.peek(schemaId)
    return decodeValue === undefined ? undefined : settle(decodeValue, bytes)
  }

  /** One request per id, so that a registry that times out costs its deadline once, not once per record. */
  async function decodeTheRest(
    records: readonly (Buffer | null | undefined)[],
    results: (Decoded<T> | undefined)[],
  ): Promise<void> {
    const waiting = new Map<number, Promise<(bytes: Buffer) => T>>()
    for (const [index, bytes] of records.entries()) {
      if (results[index] !== undefined || !bytes) continue
      const schemaId = readSchemaId(bytes) as number
      if (!waiting.has(schemaId)) waiting.set(schemaId, decoders.get(schemaId).catch(failWith))
    }
    for (const [index, bytes] of records.entries()) {
      if (results[index] !== undefined || !bytes) continue
      const decodeValue = await waiting.get(readSchemaId(bytes) as number)
      if (decodeValue !== undefined) results[index] = settle(decodeValue, bytes)
    }
  }
}

const failWith = (error: unknown) => (): never => {
  throw error
}

function settle<T>(decodeValue: (bytes: Buffer) => T, bytes: Buffer): Decoded<T> {
  try {
    return { ok: true, value: decodeValue(bytes) }
  } catch (error) {
    // Anything else is a fault of the program, not of the record.
    if (!(error instanceof DropbellError)) throw error
    return { ok: false, error }
  }
}
