import {
  type AvroField,
  type AvroSchema,
  type AvroTypeDefinition,
  newestVersion,
  type SchemaHistory,
} from '../src/contract.ts'
import { camelCase, kebabCase, namedDefinitionsOf, simpleName } from './named-definitions.ts'

const PRIMITIVES: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Buffer',
}

/** The TypeScript file of one history: the types of its newest version, and all versions as data. */
export function renderTypes(history: SchemaHistory, owners: ReadonlyMap<string, SchemaHistory>): string {
  const definitions = [...namedDefinitionsOf(newestVersion(history).schema)]
  const isOwn = ([fullName]: [string, AvroTypeDefinition]) => owners.get(fullName) === history
  const folder = kebabCase(history.name)

  return [
    `// Generated from packages/schemas/avro/${folder}: \`npx pnpm generate\`.`,
    [`import type { Contract } from '../contract.ts'`, ...renderImports(definitions, history, owners)].join('\n'),
    ...definitions.filter(isOwn).map(([, definition]) => renderDefinition(definition)),
    renderContract(history),
  ].join('\n\n')
}

function renderImports(
  definitions: readonly [string, AvroTypeDefinition][],
  history: SchemaHistory,
  owners: ReadonlyMap<string, SchemaHistory>,
): string[] {
  // What only another imported type mentions needs no import of its own.
  const mentioned = mentionedNames(definitions.filter(([name]) => owners.get(name) === history).map(([, it]) => it))
  const names = new Map<string, string[]>()
  for (const [fullName] of definitions) {
    const owner = owners.get(fullName)
    if (owner === undefined || owner === history || !mentioned.has(simpleName(fullName))) continue
    names.set(owner.name, [...(names.get(owner.name) ?? []), simpleName(fullName)])
  }
  return [...names]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([owner, types]) => `import type { ${types.sort().join(', ')} } from './${kebabCase(owner)}.ts'`)
}

function mentionedNames(definitions: readonly AvroTypeDefinition[]): Set<string> {
  const types = definitions.flatMap(({ fields }) => (fields ?? []).map((field) => renderType(field.type)))
  return new Set(types.flatMap((type) => type.match(/\w+/g) ?? []))
}

function renderDefinition(definition: AvroTypeDefinition): string {
  const { name = '', doc, symbols, fields } = definition
  if (symbols !== undefined) {
    const constant = `${camelCase(name)}Symbols`
    const list = symbols.map((symbol) => `'${symbol}'`).join(', ')
    return `export const ${constant} = [${list}] as const\n\n${comment(doc)}export type ${name} = (typeof ${constant})[number]`
  }
  return `${comment(doc)}export interface ${name} {\n${(fields ?? []).map(renderField).join('\n')}\n}`
}

function renderField({ name, type, doc, logicalType }: AvroField): string {
  const unit = logicalType ?? logicalTypeOf(type)
  const notes = [doc, unit === 'timestamp-millis' ? 'Milliseconds since the epoch.' : undefined]
  return `${comment(notes.filter(Boolean).join(' '), '  ')}  readonly ${name}: ${renderType(type)}`
}

function logicalTypeOf(schema: AvroSchema): string | undefined {
  if (typeof schema === 'string') return undefined
  return Array.isArray(schema) ? schema.map(logicalTypeOf).find(Boolean) : schema.logicalType
}

function renderType(schema: AvroSchema): string {
  if (typeof schema === 'string') return PRIMITIVES[schema] ?? simpleName(schema)
  if (Array.isArray(schema)) {
    const branches = schema.map(renderType)
    return [...branches.filter((branch) => branch !== 'null'), ...branches.filter((branch) => branch === 'null')].join(
      ' | ',
    )
  }
  if (schema.name !== undefined) return schema.name
  if (schema.items !== undefined) return `readonly ${parenthesised(renderType(schema.items))}[]`
  if (schema.values !== undefined) return `Readonly<Record<string, ${renderType(schema.values)}>>`
  return renderType(schema.type)
}

const parenthesised = (type: string): string => (type.includes(' ') ? `(${type})` : type)

const comment = (doc: string | undefined, indent = ''): string => (doc ? `${indent}/** ${doc} */\n` : '')

function renderContract({ name, versions }: SchemaHistory): string {
  const entries = versions.map(({ version, schema }) => {
    const literal = JSON.stringify(schema, null, 2).replaceAll('\n', '\n      ')
    return `    {\n      version: ${version},\n      schema: ${literal},\n    },`
  })
  return `export const ${camelCase(name)}: Contract<${name}> = {\n  name: '${name}',\n  versions: [\n${entries.join('\n')}\n  ],\n}\n`
}
