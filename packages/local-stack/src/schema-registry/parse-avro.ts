import {
  type AvroType,
  fullName,
  isNamed,
  type NamedType,
  PRIMITIVES,
  type Primitive,
  qualify,
  type RecordField,
} from './avro-schema.ts'
import { isObject, type Json, type JsonObject, NumberLiteral } from './parse-json.ts'

/** Jackson, which reads these schemas elsewhere, stops at 1,000; nobody writes a tenth of it. */
const MAX_DEPTH = 500
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const TYPE_KEYS = ['aliases', 'doc', 'fields', 'items', 'name', 'namespace', 'size', 'symbols', 'type', 'values']
const FIELD_KEYS = ['aliases', 'default', 'doc', 'name', 'order', 'type']

interface Scope {
  readonly path: string
  readonly namespace: string | undefined
  readonly names: Map<string, NamedType>
  readonly depth: number
}

/** Builds the type graph of a JSON schema, or throws an Error that says what is wrong and where. */
export const parseAvro = (json: Json): AvroType =>
  parseType(json, { path: '', namespace: undefined, names: new Map(), depth: 0 })

const parseType = (json: Json, scope: Scope): AvroType => {
  if (scope.depth > MAX_DEPTH) return fail(scope, `nested more than ${MAX_DEPTH} levels deep`)
  if (typeof json === 'string') return parseReference(json, scope)
  if (Array.isArray(json)) return parseUnion(json, scope)
  if (!isObject(json)) return fail(scope, `not a schema: ${JSON.stringify(json)}`)
  const type = json.type
  if (typeof type !== 'string') return fail(scope, 'no "type", or not a text')
  if (isPrimitive(type)) return { kind: type, props: propsOf(json, TYPE_KEYS) }
  switch (type) {
    case 'array':
      return { kind: 'array', items: child(json, 'items', scope), props: propsOf(json, TYPE_KEYS) }
    case 'map':
      return { kind: 'map', values: child(json, 'values', scope), props: propsOf(json, TYPE_KEYS) }
    case 'record':
    case 'error':
      return parseRecord(json, type === 'error', scope)
    case 'enum':
      return parseEnum(json, scope)
    case 'fixed':
      return parseFixed(json, scope)
    default:
      return parseReference(type, scope)
  }
}

const parseReference = (name: string, scope: Scope): AvroType => {
  if (isPrimitive(name)) return { kind: name, props: {} }
  const known = scope.names.get(name.includes('.') ? name : qualify(name, scope.namespace)) ?? scope.names.get(name)
  return known ?? fail(scope, `undefined type name: ${name}`)
}

const parseUnion = (json: Json[], scope: Scope): AvroType => {
  const branches = json.map((branch, index) => parseType(branch, inside(scope, String(index))))
  const seen = new Set<string>()
  for (const branch of branches) {
    if (branch.kind === 'union') return fail(scope, 'unions cannot be directly nested')
    const branchName = isNamed(branch) ? fullName(branch) : branch.kind
    if (seen.has(branchName)) return fail(scope, `duplicate in union: ${branchName}`)
    seen.add(branchName)
  }
  return { kind: 'union', branches }
}

const parseRecord = (json: JsonObject, isError: boolean, scope: Scope): AvroType => {
  const record = define(
    { kind: 'record' as const, isError, fields: [] as RecordField[], ...nameOf(json, scope) },
    scope,
  )
  if (!Array.isArray(json.fields)) return fail(scope, `record ${record.name} has no "fields" array`)
  const within = { ...scope, namespace: record.namespace }
  const seen = new Set<string>()
  for (const [index, field] of json.fields.entries()) {
    const parsed = parseField(field, inside(within, `fields/${index}`))
    if (seen.has(parsed.name)) return fail(scope, `duplicate field ${parsed.name} in record ${record.name}`)
    seen.add(parsed.name)
    record.fields.push(parsed)
  }
  return record
}

const parseField = (json: Json, scope: Scope): RecordField => {
  if (!isObject(json)) return fail(scope, 'a field must be an object')
  const name = validName(json.name, scope)
  const order = json.order ?? 'ascending'
  if (typeof order !== 'string' || !/^(ascending|descending|ignore)$/i.test(order)) {
    return fail(scope, `invalid order of field ${name}`)
  }
  return {
    name,
    type: child(json, 'type', scope),
    doc: textOf(json.doc),
    default: json.default,
    order: order.toLowerCase(),
    aliases: namesOf(json.aliases, scope),
    props: propsOf(json, FIELD_KEYS),
  }
}

const parseEnum = (json: JsonObject, scope: Scope): AvroType => {
  const symbols = json.symbols
  if (!Array.isArray(symbols)) return fail(scope, 'enum has no "symbols" array')
  const valid = symbols.map((symbol) => validName(symbol, scope))
  if (new Set(valid).size < valid.length) return fail(scope, 'enum has a duplicate symbol')
  const fallback = textOf(json.default)
  if (json.default !== undefined && (fallback === undefined || !valid.includes(fallback))) {
    return fail(scope, `enum default ${JSON.stringify(json.default)} is not one of its symbols`)
  }
  const named = nameOf(json, scope, ['default'])
  return define({ kind: 'enum' as const, symbols: valid, default: fallback, ...named }, scope)
}

const parseFixed = (json: JsonObject, scope: Scope): AvroType => {
  const size = json.size instanceof NumberLiteral ? Number(json.size.text) : Number.NaN
  if (!Number.isSafeInteger(size) || size < 0) return fail(scope, 'fixed has no valid "size"')
  return define({ kind: 'fixed' as const, size, ...nameOf(json, scope) }, scope)
}

const nameOf = (json: JsonObject, scope: Scope, ownKeys: string[] = []) => {
  if (typeof json.name !== 'string') return fail(scope, 'no "name" in a named type')
  const dot = json.name.lastIndexOf('.')
  const name = validName(json.name.slice(dot + 1), scope)
  const declared = dot >= 0 ? json.name.slice(0, dot) : (textOf(json.namespace) ?? scope.namespace)
  const namespace = declared === '' ? undefined : declared
  for (const part of namespace?.split('.') ?? []) validName(part, scope)
  const aliases = namesOf(json.aliases, scope).map((alias) => (alias.includes('.') ? alias : qualify(alias, namespace)))
  return { name, namespace, aliases, doc: textOf(json.doc), props: propsOf(json, [...TYPE_KEYS, ...ownKeys]) }
}

const define = <T extends NamedType>(type: T, scope: Scope): T => {
  const name = fullName(type)
  if (isPrimitive(name)) return fail(scope, `${name} is the name of a primitive type`)
  if (scope.names.has(name)) return fail(scope, `can't redefine: ${name}`)
  scope.names.set(name, type)
  return type
}

const child = (json: JsonObject, key: string, scope: Scope): AvroType => {
  const nested = json[key]
  return nested === undefined ? fail(scope, `no "${key}"`) : parseType(nested, inside(scope, key))
}

const inside = (scope: Scope, step: string): Scope => ({
  ...scope,
  path: `${scope.path}/${step}`,
  depth: scope.depth + 1,
})

const propsOf = (json: JsonObject, known: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([key]) => !known.includes(key)))

const namesOf = (json: Json | undefined, scope: Scope): string[] => {
  if (json === undefined) return []
  if (!Array.isArray(json)) return fail(scope, '"aliases" is not an array')
  return json.map((alias) => (typeof alias === 'string' ? alias : fail(scope, 'an alias is not a text')))
}

const textOf = (json: Json | undefined): string | undefined => (typeof json === 'string' ? json : undefined)

const validName = (name: Json | undefined, scope: Scope): string =>
  typeof name === 'string' && NAME.test(name) ? name : fail(scope, `illegal name: ${JSON.stringify(name)}`)

const isPrimitive = (name: string): name is Primitive => (PRIMITIVES as readonly string[]).includes(name)

const fail = (scope: Scope, reason: string): never => {
  throw new Error(`${reason} (at '${scope.path || '/'}')`)
}
