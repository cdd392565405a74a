import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { PermanentError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'

/** The fields of a behaviour, as they are named in its document. */
export const behaviorFieldNames = ['productId', 'userId', 'actionType', 'timestamp'] as const

type FieldName = (typeof behaviorFieldNames)[number]

/** Under which name each field can be filtered and grouped by. */
export type BehaviorFields = Readonly<Record<FieldName, string>>

/** `undefined`: the index is still empty and knows no field, so nobody did anything yet. */
export type ReadBehaviorFields = () => Promise<BehaviorFields | undefined>

/**
 * An alias can be moved to an index with another mapping. Asking for a field that is not there finds nobody and raises
 * no error, so what was found out is not believed for long.
 */
const believedForMs = 5_000

export interface BehaviorFieldsOptions {
  client: Client
  index: string
  /** Milliseconds of any clock that does not go backwards. */
  now?: () => number
}

/**
 * With our template the identifiers are keywords. An index that somebody filled without a template has them as text,
 * which cannot be grouped by, with a keyword beside it.
 */
export const createBehaviorFields = ({
  client,
  index,
  now = () => performance.now(),
}: BehaviorFieldsOptions): ReadBehaviorFields => {
  let known: { fields: BehaviorFields; until: number } | undefined
  return async () => {
    if (known && now() < known.until) return known.fields
    const fields = await readFields(client, index)
    known = fields && { fields, until: now() + believedForMs }
    return fields
  }
}

const readFields = async (client: Client, index: string): Promise<BehaviorFields | undefined> => {
  try {
    const { fields: found } = await client.fieldCaps({
      index,
      fields: behaviorFieldNames.flatMap((name) => [name, keywordBeside(name)]),
      allow_no_indices: false,
      include_unmapped: true,
    })
    const chosen = behaviorFieldNames.map((name) => [name, chooseField(name, found)] as const)
    const missing = chosen.flatMap(([name, field]) => (field === undefined ? [name] : []))
    if (missing.length === 0) return Object.fromEntries(chosen) as BehaviorFields
    if (Object.keys(found).length === 0 && (await client.count({ index })).count === 0) return undefined
    throw unusableIndex(index, missing)
  } catch (error) {
    throw classifyElasticsearchError(error)
  }
}

type FieldCapabilities = estypes.FieldCapsResponse['fields']

const keywordBeside = (name: FieldName): string => `${name}.keyword`

/** Numbers are welcome as identifiers; they come back as text. */
const idTypes = new Set(['keyword', 'long', 'integer', 'short', 'unsigned_long'])
const timeTypes = new Set(['date', 'date_nanos', 'long'])

/**
 * An alias may cover several indices: a field will do only if it will do in all of them. One that is not there does
 * no harm where the identifier itself is not there either, as in an index that was just made.
 */
const chooseField = (name: FieldName, found: FieldCapabilities): string | undefined => {
  const goodTypes = name === 'timestamp' ? timeTypes : idTypes
  const usable = (field: string): boolean => {
    const { unmapped, ...types } = found[field] ?? {}
    const names = Object.keys(types)
    const alsoWithoutName = new Set(indicesOf(found[name]?.unmapped))
    return (
      names.length > 0 &&
      names.every((type) => goodTypes.has(type)) &&
      indicesOf(unmapped).every((index) => alsoWithoutName.has(index))
    )
  }
  return [name, keywordBeside(name)].find(usable)
}

const indicesOf = (capability: estypes.FieldCapsFieldCapability | undefined): string[] =>
  [capability?.indices ?? []].flat()

const unusableIndex = (index: string, missing: readonly string[]): PermanentError =>
  new PermanentError(
    'BEHAVIOR_INDEX_UNUSABLE',
    `the index ${index} has no field to search for ${missing.join(', ')}: identifiers must be keywords (or text with a ` +
      '.keyword beside it) or whole numbers, and the timestamp a date',
  )
