import type avro from 'avsc'
import {
  type DecodeError,
  IncompatibleSchemaError,
  MagicByteError,
  MalformedBytesError,
  NullValueError,
  ShortBufferError,
} from './codec-errors.ts'
import { parseAvro } from './strict-avro.ts'
import { HEADER_BYTES } from './wire-format.ts'

/** What is wrong with a record in which no schema id was found. */
export function headerFault(bytes: Buffer | null | undefined, subject: string): DecodeError {
  if (bytes === null || bytes === undefined) return new NullValueError(subject)
  if (bytes.length < HEADER_BYTES) return new ShortBufferError(subject, bytes.length)
  return new MagicByteError(subject, bytes[0] as number)
}

export interface Writer {
  readonly schemaId: number
  readonly schemaText: string
}

/**
 * A function that reads what one writer wrote as the reader's own version. A writer that cannot be read gives a
 * function that says so: an id never changes its meaning, so that verdict may be kept like any other.
 */
export function createValueDecoder<T>(reader: avro.Type, writer: Writer, subject: string): (bytes: Buffer) => T {
  const { schemaId } = writer
  let resolver: ReturnType<avro.Type['createResolver']> | undefined
  try {
    const writerType = parseAvro(JSON.parse(writer.schemaText))
    if (!reader.equals(writerType)) resolver = reader.createResolver(writerType)
  } catch (cause) {
    return () => {
      throw new IncompatibleSchemaError(subject, schemaId, cause)
    }
  }

  return (bytes) => {
    let decoded: { value: T; offset: number }
    try {
      decoded = reader.decode(bytes, HEADER_BYTES, resolver)
    } catch (cause) {
      throw new MalformedBytesError(subject, schemaId, cause)
    }
    if (decoded.offset !== bytes.length) {
      const fault = decoded.offset < 0 ? 'it ends too early' : `${bytes.length - decoded.offset} bytes are left over`
      throw new MalformedBytesError(subject, schemaId, new RangeError(fault))
    }
    return decoded.value
  }
}
