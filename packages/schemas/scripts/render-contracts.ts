import { type AvroField, type AvroSchema, newestVersion, type SchemaHistory } from '../src/contract.ts'
import {
  DEFAULT_DLQ_RETENTION_MS,
  dlqNameOf,
  INTERNAL_TOPICS,
  quarantineNameOf,
  subjectOf,
  type TopicDeclaration,
} from '../src/topics.ts'
import { kebabCase, namedDefinitionsOf, simpleName } from './named-definitions.ts'
import { findTypeOwners } from './type-owners.ts'

const DAY_MS = 86_400_000

/** `docs/contracts.md`. */
export function renderContracts(topics: readonly TopicDeclaration[], histories: readonly SchemaHistory[]): string {
  const owners = findTypeOwners(histories)
  return `<!-- Generated from the topic table and the schemas of packages/schemas: npx pnpm generate. -->

# Contracts

What Dropbell and other teams promise each other on Kafka. Values are Avro in Confluent's wire format: a zero byte, the
id of the writer's schema (four bytes, big-endian), then the record. Readers resolve every version to their own newest.

## Topics

${table(['topic', 'key', 'value', 'subject', 'consumer group', 'partitions', 'kept for', 'dead letters'], topics.map(topicRow))}

${topics.map(({ name, purpose }) => `- \`${name}\`: ${purpose}`).join('\n')}

Dead letters carry the original key and bytes, keep their partition, and stay for ${days(DEFAULT_DLQ_RETENTION_MS)}. Times are
defaults; replication and retention come from the configuration. What keeps coming back to \`<topic>.dlq\` is moved to
\`${quarantineNameOf('<topic>.dlq')}\` by \`dropbell dlq replay\`, which creates it when it is needed.

Dropbell keeps these for itself; nobody else writes or relies on them:

${table(
  ['topic', 'key', 'value', 'partitions', 'keeps'],
  INTERNAL_TOPICS.map(({ name, key, value, partitions }) => [
    `\`${name}\``,
    key,
    value,
    String(partitions),
    'the newest of each key (compacted)',
  ]),
)}

${INTERNAL_TOPICS.map(({ name, purpose }) => `- \`${name}\`: ${purpose}`).join('\n')}

## Compatibility

Every subject is BACKWARD: a new version reads what all earlier ones wrote, so readers are upgraded before writers. A
published version is never changed (\`packages/schemas/avro/history.lock.json\` holds its fingerprint). An enum has no
default symbol where acting on the wrong one would be worse than not acting: a reader that does not know a symbol
refuses the record, which is dead-lettered and can be replayed after the upgrade.

Prices are float32. They are read as the shortest decimal that names the same float32: 79.9, not 79.9000015.

${histories.map((history) => renderHistory(history, owners)).join('\n\n')}
`
}

function topicRow(topic: TopicDeclaration): string[] {
  const { name, key, contract, group, partitions, retentionMs } = topic
  const consumer = group.kind === 'shared' ? `\`${group.id}\`` : `\`${group.idPrefix}<instance>\``
  return [
    `\`${name}\``,
    key,
    linkTo(contract.name),
    `\`${subjectOf(topic)}\``,
    consumer,
    String(partitions),
    days(retentionMs),
    `\`${dlqNameOf(name)}\``,
  ]
}

/** The types a schema repeats from another are described there, once. */
function renderHistory(history: SchemaHistory, owners: ReadonlyMap<string, SchemaHistory>): string {
  const folder = `packages/schemas/avro/${kebabCase(history.name)}`
  const definitions = [...namedDefinitionsOf(newestVersion(history).schema)]
  const own = definitions.filter(([fullName]) => owners.get(fullName) === history)
  const sections = own.map(([fullName, definition], index) => {
    const source = index === 0 ? `, in [\`${folder}\`](../${folder})` : ''
    const body = definition.symbols
      ? `Symbols: ${definition.symbols.map((symbol) => `\`${symbol}\``).join(', ')}`
      : table(['field', 'type', 'default', 'meaning'], (definition.fields ?? []).map(fieldRow))
    const heading = `${index === 0 ? '##' : '###'} ${simpleName(fullName)}`
    return [heading, `\`${fullName}\`${source}`, definition.doc, body].filter(Boolean).join('\n\n')
  })
  const versions = history.versions.map((_, index) => `- ${describeVersion(history, index)}`).join('\n')
  return [...sections, `### Versions of ${history.name}\n\n${versions}`].join('\n\n')
}

function fieldRow({ name, type, doc, default: byDefault }: AvroField): string[] {
  return [
    `\`${name}\``,
    describeType(type),
    byDefault === undefined ? '' : `\`${JSON.stringify(byDefault)}\``,
    doc ?? '',
  ]
}

function describeType(schema: AvroSchema): string {
  if (typeof schema === 'string') return schema.includes('.') ? linkTo(simpleName(schema)) : schema
  if (Array.isArray(schema)) return schema.map(describeType).join(' or ')
  if (schema.name !== undefined) return linkTo(simpleName(schema.name))
  if (schema.items !== undefined) return `array of ${describeType(schema.items)}`
  if (schema.values !== undefined) return `map of ${describeType(schema.values)}`
  return schema.logicalType === undefined
    ? describeType(schema.type)
    : `${describeType(schema.type)} (${schema.logicalType})`
}

function describeVersion({ versions }: SchemaHistory, index: number): string {
  const current = versions[index]
  const before = versions[index - 1]
  if (current === undefined || before === undefined) return 'v1: the first'
  const known = namesIn(before.schema)
  const added = [...namesIn(current.schema)].filter((name) => !known.has(name)).map((name) => `\`${name}\``)
  return `v${current.version}: ${added.length === 0 ? 'the same fields and symbols' : `adds ${added.join(', ')}`}`
}

function namesIn(schema: AvroSchema): Set<string> {
  const definitions = [...namedDefinitionsOf(schema).values()]
  return new Set(
    definitions.flatMap(({ name, fields = [], symbols = [] }) => [
      ...fields.map((field) => `${name}.${field.name}`),
      ...symbols.map((symbol) => `${name} ${symbol}`),
    ]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const linkTo = (typeName: string): string => `[${typeName}](#${typeName.toLowerCase()})`

const days = (ms: number): string => (ms === DAY_MS ? '1 day' : `${ms / DAY_MS} days`)
