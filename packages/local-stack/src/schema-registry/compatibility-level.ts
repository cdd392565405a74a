import type { AvroType } from './avro-schema.ts'
import { findIncompatibilities, type Incompatibility } from './compatibility.ts'

export const COMPATIBILITY_LEVELS = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const
export type CompatibilityLevel = (typeof COMPATIBILITY_LEVELS)[number]

export const DEFAULT_LEVEL: CompatibilityLevel = 'BACKWARD'

export const parseLevel = (name: unknown): CompatibilityLevel | undefined =>
  COMPATIBILITY_LEVELS.find((level) => typeof name === 'string' && level === name.toUpperCase())

export interface EarlierSchema {
  readonly version: number
  readonly schema: string
  /** Undefined for a schema that is no Avro (another registry may have stored it). */
  readonly type: AvroType | undefined
}

/** What speaks against `candidate` as the next schema after `earlier` (ascending); empty if nothing does. */
export const judgeSchema = (
  level: CompatibilityLevel,
  candidate: AvroType,
  earlier: readonly EarlierSchema[],
): readonly string[] => {
  if (level === 'NONE') return []
  const newestFirst = earlier.toReversed()
  const compared = level.endsWith('_TRANSITIVE') ? newestFirst : newestFirst.slice(0, 1)
  for (const previous of compared) {
    const messages = compare(level, candidate, previous)
    if (messages.length === 0) continue
    return [
      ...messages,
      `{oldSchemaVersion: ${previous.version}}`,
      `{oldSchema: '${previous.schema}'}`,
      `{compatibility: '${level}'}`,
    ]
  }
  return []
}

const compare = (level: CompatibilityLevel, candidate: AvroType, { type }: EarlierSchema): string[] => {
  if (type === undefined) return ['Incompatible because of different schema type']
  const backward = level.startsWith('FORWARD') ? [] : findIncompatibilities(candidate, type)
  const forward = level.startsWith('BACKWARD') ? [] : findIncompatibilities(type, candidate)
  return [
    ...backward.map((found) => describe(found, 'new', 'old')),
    ...forward.map((found) => describe(found, 'old', 'new')),
  ]
}

type Side = 'new' | 'old'

const describe = (found: Incompatibility, reader: Side, writer: Side): string =>
  `{errorType:'${found.kind}', description:'${explain(found, reader, writer)}', additionalInfo:'${found.detail}'}`

const explain = (found: Incompatibility, reader: Side, writer: Side): string => {
  const { kind, detail } = found
  const path = `path '${found.path || '/'}'`
  const where = found.field === '' ? path : `field '${found.field}', ${path}`
  switch (kind) {
    case 'READER_FIELD_MISSING_DEFAULT_VALUE':
      return `The field '${found.field}' at ${path} in the ${reader} schema has no default value and is missing in the ${writer} schema`
    case 'TYPE_MISMATCH':
      return `The type (${where}) in the ${reader} schema does not match with the ${writer} schema`
    case 'NAME_MISMATCH':
      return `The name of the schema has changed (${where})`
    case 'MISSING_ENUM_SYMBOLS':
      return `The ${reader} schema is missing enum symbols '${detail}' (${where}) of the ${writer} schema`
    case 'MISSING_UNION_BRANCH':
      return `The ${reader} schema is missing a type inside a union (${where}) of the ${writer} schema`
    case 'FIXED_SIZE_MISMATCH':
      return `The size of a FIXED type (${where}) in the ${reader} schema does not match with the ${writer} schema`
  }
}
