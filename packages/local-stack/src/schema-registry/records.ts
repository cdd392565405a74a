/**
 * The records of the `_schemas` topic, as Confluent's registry writes them: JSON keys whose property order is part of
 * the key (compaction compares bytes), JSON values, and no value for a tombstone.
 */
export type RegistryRecord =
  | { readonly keytype: 'SCHEMA'; readonly subject: string; readonly version: number; readonly value?: SchemaValue }
  | { readonly keytype: 'CONFIG'; readonly subject: string | undefined; readonly level?: string }
  | { readonly keytype: 'DELETE_SUBJECT'; readonly subject: string; readonly upTo: number }
  | { readonly keytype: 'CLEAR_SUBJECT'; readonly subject: string }
  | { readonly keytype: 'NOOP' }

/** The value of a SCHEMA record. A newer registry adds fields (`guid`, `metadata`, …), which are kept when rewritten. */
export interface SchemaValue {
  readonly subject: string
  readonly version: number
  readonly id: number
  readonly schema: string
  readonly deleted: boolean
  /** Absent for AVRO. */
  readonly schemaType?: string
  readonly references?: readonly unknown[]
}

export interface EncodedRecord {
  readonly key: string
  readonly value: string | null
}

export const encodeRecord = (record: RegistryRecord): EncodedRecord => {
  switch (record.keytype) {
    case 'SCHEMA': {
      const { keytype, subject, version, value } = record
      return encoded({ keytype, subject, version, magic: 1 }, value)
    }
    case 'CONFIG': {
      const { keytype, subject, level } = record
      const value = level === undefined ? undefined : { compatibilityLevel: level }
      return encoded({ keytype, subject: subject ?? null, magic: 0 }, value)
    }
    case 'DELETE_SUBJECT': {
      const { keytype, subject, upTo } = record
      return encoded({ keytype, subject, magic: 0 }, { subject, version: upTo })
    }
    case 'CLEAR_SUBJECT': {
      const { keytype, subject } = record
      return encoded({ keytype, subject, magic: 0 }, { subject })
    }
    case 'NOOP':
      return encoded({ keytype: 'NOOP', magic: 0 }, undefined)
  }
}

const encoded = (key: object, value: object | undefined): EncodedRecord => ({
  key: JSON.stringify(key),
  value: value === undefined ? null : JSON.stringify(value),
})

/** Undefined for what has no meaning here: foreign key types (MODE, CONTEXT …) and bytes that are no such record. */
export const decodeRecord = (key: Buffer | null, value: Buffer | null): RegistryRecord | undefined => {
  const k = parseObject(key)
  const v = parseObject(value)
  if (k === undefined || (value !== null && v === undefined)) return undefined
  const subject = k.subject
  if (k.keytype === 'NOOP') return { keytype: 'NOOP' }
  if (k.keytype === 'CONFIG' && (typeof subject === 'string' || subject === null || subject === undefined)) {
    const level = v?.compatibilityLevel
    return { keytype: 'CONFIG', subject: subject ?? undefined, ...(typeof level === 'string' && { level }) }
  }
  if (typeof subject !== 'string') return undefined
  if (k.keytype === 'SCHEMA' && typeof k.version === 'number') {
    const at = { keytype: 'SCHEMA' as const, subject, version: k.version }
    if (v === undefined) return at
    return isSchemaValue(v) ? { ...at, value: { ...v, deleted: v.deleted === true } } : undefined
  }
  if (k.keytype === 'DELETE_SUBJECT' && typeof v?.version === 'number') {
    return { keytype: 'DELETE_SUBJECT', subject, upTo: v.version }
  }
  if (k.keytype === 'CLEAR_SUBJECT' && v !== undefined) return { keytype: 'CLEAR_SUBJECT', subject }
  return undefined
}

const isSchemaValue = (v: Record<string, unknown>): v is Record<string, unknown> & Omit<SchemaValue, 'deleted'> =>
  typeof v.subject === 'string' &&
  typeof v.version === 'number' &&
  typeof v.id === 'number' &&
  typeof v.schema === 'string'

const parseObject = (bytes: Buffer | null): Record<string, unknown> | undefined => {
  if (bytes === null) return undefined
  try {
    const json: unknown = JSON.parse(bytes.toString())
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    // Anyone may have written to the topic; a record nobody can read must not keep the registry from starting.
    return undefined
  }
}
