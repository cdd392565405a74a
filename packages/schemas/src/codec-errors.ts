import { PermanentError, TransientError } from '@dropbell/shared/errors'

/** A record that can never be read: repeating the attempt changes nothing. */
export class DecodeError extends PermanentError {
  override readonly name: string = 'DecodeError'
}

/** A tombstone. None of the topics is compacted, so nobody has a reason to write one. */
export class NullValueError extends DecodeError {
  override readonly name = 'NullValueError'
  constructor(subject: string) {
    super('NULL_VALUE', `The record for ${subject} has no value`)
  }
}

export class ShortBufferError extends DecodeError {
  override readonly name = 'ShortBufferError'
  constructor(subject: string, length: number) {
    super('SHORT_BUFFER', `The record for ${subject} has ${length} bytes: too few for a schema id`)
  }
}

export class MagicByteError extends DecodeError {
  override readonly name = 'MagicByteError'
  constructor(subject: string, byte: number) {
    super(
      'WRONG_MAGIC_BYTE',
      `The record for ${subject} begins with byte ${byte}: it is not in Confluent's wire format`,
    )
  }
}

export class UnknownSchemaIdError extends DecodeError {
  override readonly name = 'UnknownSchemaIdError'
  readonly schemaId: number
  constructor(subject: string, schemaId: number) {
    super('UNKNOWN_SCHEMA_ID', `The record for ${subject} names schema ${schemaId}, which the registry does not have`)
    this.schemaId = schemaId
  }
}

/** The registry has the writer's schema, but ours cannot read what it writes. */
export class IncompatibleSchemaError extends DecodeError {
  override readonly name = 'IncompatibleSchemaError'
  readonly schemaId: number
  constructor(subject: string, schemaId: number, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super('INCOMPATIBLE_SCHEMA', `Schema ${schemaId} cannot be read as the newest of ${subject}: ${why}`, { cause })
    this.schemaId = schemaId
  }
}

/** The bytes are not what their own schema says: cut off, too long, or a value out of range. */
export class MalformedBytesError extends DecodeError {
  override readonly name = 'MalformedBytesError'
  readonly schemaId: number
  constructor(subject: string, schemaId: number, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super('MALFORMED_BYTES', `The record for ${subject} does not fit its schema ${schemaId}: ${why}`, { cause })
    this.schemaId = schemaId
  }
}

/** A value of ours that its schema cannot carry. `path` is where the first fault is. */
export class EncodeError extends PermanentError {
  override readonly name = 'EncodeError'
  readonly path: string
  constructor(subject: string, path: string, faults: string, cause: unknown) {
    super('VALUE_DOES_NOT_FIT', `A value for ${subject} does not fit its schema: ${faults}`, { cause })
    this.path = path
  }
}

export class SchemaNotRegisteredError extends PermanentError {
  override readonly name = 'SchemaNotRegisteredError'
  constructor(subject: string, version: number) {
    super(
      'SCHEMA_NOT_REGISTERED',
      `The registry does not have version ${version} of ${subject}: run \`dropbell schemas register\``,
    )
  }
}

/** The registry has a schema with this id, but it is no Avro: Protobuf, JSON Schema, or broken. */
export class NotAvroError extends PermanentError {
  override readonly name = 'NotAvroError'
  constructor(schemaId: number, why: string, options: { cause?: unknown } = {}) {
    super('NOT_AVRO', `Schema ${schemaId} is not an Avro schema: ${why}`, options)
  }
}

/** The registry understood and refused: an incompatible or invalid schema. */
export class RegistryRefusedError extends PermanentError {
  override readonly name = 'RegistryRefusedError'
  readonly status: number
  constructor(request: string, status: number, message: string) {
    super('REGISTRY_REFUSED', `The schema registry refused ${request} (${status}): ${message}`)
    this.status = status
  }
}

/** The registry's name in /readyz, in logs and in errors. */
export const REGISTRY_DEPENDENCY = 'schema-registry'

/**
 * The registry gave no answer that can be relied on: refused connection, deadline, 5xx, 429, but also 401 or a
 * proxy's 404. None of these says anything about the record in hand, so the record must not be given up for them.
 */
export class RegistryUnavailableError extends TransientError {
  constructor(request: string, why: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    const message = `The schema registry did not answer ${request}: ${why}`
    super('REGISTRY_UNAVAILABLE', message, { ...options, dependency: REGISTRY_DEPENDENCY })
  }
}
