import type { Json, JsonObject } from './parse-json.ts'

/** A parsed Avro schema. References to a named type are the very object that defined it, so it may be cyclic. */
export type AvroType = PrimitiveType | ArrayType | MapType | UnionType | NamedType
export type NamedType = RecordType | EnumType | FixedType

export const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const
export type Primitive = (typeof PRIMITIVES)[number]

export interface PrimitiveType {
  readonly kind: Primitive
  readonly props: JsonObject
}

export interface ArrayType {
  readonly kind: 'array'
  readonly items: AvroType
  readonly props: JsonObject
}

export interface MapType {
  readonly kind: 'map'
  readonly values: AvroType
  readonly props: JsonObject
}

export interface UnionType {
  readonly kind: 'union'
  readonly branches: readonly AvroType[]
}

interface Named {
  readonly name: string
  readonly namespace: string | undefined
  /** Full names. */
  readonly aliases: readonly string[]
  readonly doc: string | undefined
  /** What Avro does not know but keeps, `logicalType` among them. */
  readonly props: JsonObject
}

export interface RecordType extends Named {
  readonly kind: 'record'
  readonly isError: boolean
  /** Filled after the record's name is known, because a field may refer to its own record. */
  readonly fields: RecordField[]
}

export interface RecordField {
  readonly name: string
  readonly type: AvroType
  readonly doc: string | undefined
  readonly default: Json | undefined
  readonly order: string
  readonly aliases: readonly string[]
  readonly props: JsonObject
}

export interface EnumType extends Named {
  readonly kind: 'enum'
  readonly symbols: readonly string[]
  readonly default: string | undefined
}

export interface FixedType extends Named {
  readonly kind: 'fixed'
  readonly size: number
}

export const isNamed = (type: AvroType): type is NamedType =>
  type.kind === 'record' || type.kind === 'enum' || type.kind === 'fixed'

export const qualify = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : `${namespace}.${name}`

export const fullName = (type: NamedType): string => qualify(type.name, type.namespace)
