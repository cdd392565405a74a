import avsc from 'avsc'
import { type AvroType, fullName, isNamed, type NamedType, PRIMITIVES, type RecordField } from './avro-schema.ts'
import { invalidSchema } from './errors.ts'
import { parseAvro } from './parse-avro.ts'
import { type JsonObject, parseJson, printJson, printMember } from './parse-json.ts'

/**
 * The text that makes two schemas the same one, and the text that is stored.
 *
 * Confluent stores what Avro for Java prints after parsing (`Schema.toString()`) and finds a schema by a hash of that
 * very text. A registry that takes our topic over would not find schemas stored in any other spelling, and would hand
 * out new ids for them. So blanks, key order and ways to write a name do not count; docs, aliases, defaults and
 * unknown properties (a `logicalType` beside a field's type, say) do.
 */
export const canonicalText = (type: AvroType): string => print(type, { namespace: undefined, printed: new Set() })

export interface CanonicalSchema {
  readonly text: string
  readonly type: AvroType
}

/** Reads a schema somebody wants to register or look up. The message of a refusal carries the parser's words. */
export const readSchema = (text: string): CanonicalSchema => {
  try {
    const type = parseAvro(parseJson(text))
    // avsc checks what the type graph leaves open, above all that a default fits its type.
    avsc.Type.forSchema(JSON.parse(text), { wrapUnions: true })
    return { text: canonicalText(type), type }
  } catch (cause) {
    throw invalidSchema(`Invalid Avro schema: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

interface Scope {
  readonly namespace: string | undefined
  /** Shared by the whole walk: a named type is printed once, then only its name. */
  readonly printed: Set<NamedType>
}

const print = (type: AvroType, scope: Scope): string => {
  if (isNamed(type)) return scope.printed.has(type) ? JSON.stringify(reference(type, scope)) : define(type, scope)
  switch (type.kind) {
    case 'union':
      return `[${type.branches.map((branch) => print(branch, scope)).join(',')}]`
    case 'array':
      return object(['"type":"array"', `"items":${print(type.items, scope)}`, ...members(type.props)])
    case 'map':
      return object(['"type":"map"', `"values":${print(type.values, scope)}`, ...members(type.props)])
    default: {
      const props = members(type.props)
      return props.length === 0 ? `"${type.kind}"` : object([`"type":"${type.kind}"`, ...props])
    }
  }
}

const define = (type: NamedType, scope: Scope): string => {
  scope.printed.add(type)
  const parts = [`"type":"${type.kind === 'record' && type.isError ? 'error' : type.kind}"`, `"name":"${type.name}"`]
  if (type.namespace !== scope.namespace) parts.push(`"namespace":"${type.namespace ?? ''}"`)
  if (type.doc !== undefined) parts.push(`"doc":${JSON.stringify(type.doc)}`)
  switch (type.kind) {
    case 'record': {
      const within = { ...scope, namespace: type.namespace }
      parts.push(`"fields":[${type.fields.map((field) => printField(field, within)).join(',')}]`)
      break
    }
    case 'enum':
      parts.push(`"symbols":${printJson([...type.symbols])}`)
      if (type.default !== undefined) parts.push(`"default":"${type.default}"`)
      break
    case 'fixed':
      parts.push(`"size":${type.size}`)
  }
  parts.push(...members(type.props))
  if (type.aliases.length > 0) parts.push(`"aliases":${printJson(type.aliases.map((name) => relative(name, type)))}`)
  return object(parts)
}

const printField = (field: RecordField, scope: Scope): string => {
  const parts = [`"name":"${field.name}"`, `"type":${print(field.type, scope)}`]
  if (field.doc !== undefined) parts.push(`"doc":${JSON.stringify(field.doc)}`)
  if (field.default !== undefined) parts.push(`"default":${printJson(field.default)}`)
  if (field.order !== 'ascending') parts.push(`"order":"${field.order}"`)
  if (field.aliases.length > 0) parts.push(`"aliases":${printJson([...field.aliases])}`)
  return object([...parts, ...members(field.props)])
}

const reference = (type: NamedType, scope: Scope): string => {
  const ambiguous = (PRIMITIVES as readonly string[]).includes(type.name)
  return type.namespace === scope.namespace && !ambiguous ? type.name : fullName(type)
}

const relative = (name: string, type: NamedType): string => {
  const dot = name.lastIndexOf('.')
  return dot >= 0 && name.slice(0, dot) === type.namespace ? name.slice(dot + 1) : name
}

const members = (props: JsonObject): string[] => Object.entries(props).map(printMember)

const object = (parts: readonly string[]): string => `{${parts.join(',')}}`
