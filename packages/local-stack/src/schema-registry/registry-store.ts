import type { AvroType } from './avro-schema.ts'
import { canonicalText } from './canonical-schema.ts'
import { type CompatibilityLevel, DEFAULT_LEVEL, parseLevel } from './compatibility-level.ts'
import { parseAvro } from './parse-avro.ts'
import { parseJson } from './parse-json.ts'
import type { RegistryRecord, SchemaValue } from './records.ts'

export interface StoredVersion extends SchemaValue {
  /** Equal for two spellings of one schema. */
  readonly identity: string
  readonly type: AvroType | undefined
}

export interface LookupOptions {
  readonly deleted?: boolean
}

/** The state of the registry: what folding the records of the topic, in their order, amounts to. No I/O. */
export const createRegistryStore = () => {
  const subjects = new Map<string, Map<number, StoredVersion>>()
  const byId = new Map<number, Map<string, StoredVersion>>()
  const ids = new Map<string, number>()
  const configs = new Map<string | undefined, CompatibilityLevel>()
  let maxId = 0

  const versionsOf = (subject: string, { deleted = false }: LookupOptions = {}): StoredVersion[] =>
    [...(subjects.get(subject)?.values() ?? [])]
      .filter((stored) => deleted || !stored.deleted)
      .sort((a, b) => a.version - b.version)

  const place = (stored: StoredVersion) => {
    const { subject, version, id, identity } = stored
    subjects.set(subject, (subjects.get(subject) ?? new Map<number, StoredVersion>()).set(version, stored))
    byId.set(id, (byId.get(id) ?? new Map<string, StoredVersion>()).set(placeOf(stored), stored))
    if (!ids.has(identity)) ids.set(identity, id)
  }

  const remove = (subject: string, version: number) => {
    const stored = subjects.get(subject)?.get(version)
    if (stored === undefined) return
    subjects.get(subject)?.delete(version)
    if (subjects.get(subject)?.size === 0) subjects.delete(subject)
    byId.get(stored.id)?.delete(placeOf(stored))
    if ((byId.get(stored.id)?.size ?? 0) > 0) return
    byId.delete(stored.id)
    if (ids.get(stored.identity) === stored.id) ids.delete(stored.identity)
  }

  /**
   * The first claim to an id, or to a version of a subject, wins. A later record that contradicts it comes from a
   * second registry that wrote at the same moment, and would change what bytes already in Kafka mean.
   */
  const contradicts = (next: StoredVersion): boolean => {
    const current = subjects.get(next.subject)?.get(next.version)
    if (current !== undefined) return current.id !== next.id || current.identity !== next.identity
    const [sameId] = byId.get(next.id)?.values() ?? []
    return sameId !== undefined && sameId.identity !== next.identity
  }

  const applySchema = (subject: string, version: number, value: SchemaValue | undefined): boolean => {
    if (value === undefined) {
      remove(subject, version)
      return true
    }
    maxId = Math.max(maxId, value.id)
    const stored = { ...value, subject, version, ...understand(value) }
    if (contradicts(stored)) return false
    place(stored)
    return true
  }

  const markDeleted = (subject: string, upTo: number) => {
    for (const stored of versionsOf(subject)) {
      if (stored.version <= upTo) place({ ...stored, deleted: true })
    }
  }

  const clearDeleted = (subject: string) => {
    for (const { version, deleted } of versionsOf(subject, { deleted: true })) {
      if (deleted) remove(subject, version)
    }
  }

  return {
    /** False if the record contradicts an earlier one and was left out. */
    apply(record: RegistryRecord): boolean {
      switch (record.keytype) {
        case 'SCHEMA':
          return applySchema(record.subject, record.version, record.value)
        case 'CONFIG': {
          const level = parseLevel(record.level)
          if (level === undefined) configs.delete(record.subject)
          else configs.set(record.subject, level)
          return true
        }
        case 'DELETE_SUBJECT':
          markDeleted(record.subject, record.upTo)
          return true
        case 'CLEAR_SUBJECT':
          clearDeleted(record.subject)
          return true
        case 'NOOP':
          return true
      }
    },

    versionsOf,

    subjects: ({ deleted = false }: LookupOptions = {}): string[] =>
      [...subjects.keys()].filter((subject) => versionsOf(subject, { deleted }).length > 0).sort(),

    /** Every place a schema id is registered at, in the order of subjects. */
    withId: (id: number, { deleted = false }: LookupOptions = {}): StoredVersion[] =>
      [...(byId.get(id)?.values() ?? [])]
        .filter((stored) => deleted || !stored.deleted)
        .sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.version - b.version)),

    /** The id of a schema that is known under any subject, deleted or not: its bytes may still be in Kafka. */
    idOf: (identity: string): number | undefined => ids.get(identity),

    nextId: (): number => maxId + 1,

    nextVersion: (subject: string): number => (versionsOf(subject, { deleted: true }).at(-1)?.version ?? 0) + 1,

    /** What was set for a subject, or globally for undefined. */
    configuredLevel: (subject: string | undefined): CompatibilityLevel | undefined => configs.get(subject),

    levelOf: (subject: string | undefined): CompatibilityLevel =>
      configs.get(subject) ?? configs.get(undefined) ?? DEFAULT_LEVEL,
  }
}

export type RegistryStore = ReturnType<typeof createRegistryStore>

const placeOf = ({ subject, version }: StoredVersion): string => `${version} ${subject}`

/** Another registry may have stored spellings, references or types of schema that we would refuse; they are served. */
const understand = (value: SchemaValue): { identity: string; type: AvroType | undefined } => {
  const isPlainAvro = (value.schemaType ?? 'AVRO') === 'AVRO' && (value.references ?? []).length === 0
  if (isPlainAvro) {
    try {
      const type = parseAvro(parseJson(value.schema))
      return { identity: canonicalText(type), type }
    } catch {
      // Older Avro took what is refused today; such a schema is known by its text alone.
    }
  }
  const { schemaType, references, schema } = value
  return { identity: JSON.stringify([schemaType, references, schema]), type: undefined }
}
