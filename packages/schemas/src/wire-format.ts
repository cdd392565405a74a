/** Confluent's framing: a zero byte, the id of the writer's schema as four bytes big-endian, then plain Avro. */
export const MAGIC_BYTE = 0
export const HEADER_BYTES = 5
/** Registries count ids as a signed 32-bit integer. */
export const MAX_SCHEMA_ID = 2 ** 31 - 1

export function writeHeader(buffer: Buffer, offset: number, schemaId: number): void {
  buffer[offset] = MAGIC_BYTE
  buffer[offset + 1] = schemaId >>> 24
  buffer[offset + 2] = schemaId >>> 16
  buffer[offset + 3] = schemaId >>> 8
  buffer[offset + 4] = schemaId
}

/** Undefined where the bytes do not begin with a whole header. */
export function readSchemaId(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0] !== MAGIC_BYTE) return undefined
  // By hand: `readUInt32BE` checks its arguments again, for every record.
  return byteAt(bytes, 1) * 2 ** 24 + (byteAt(bytes, 2) << 16) + (byteAt(bytes, 3) << 8) + byteAt(bytes, 4)
}

const byteAt = (bytes: Buffer, index: number): number => bytes[index] as number
