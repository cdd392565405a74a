import { readSchema } from './canonical-schema.ts'
import { type CompatibilityLevel, judgeSchema } from './compatibility-level.ts'
import {
  incompatibleSchema,
  schemaNotFound,
  storeFailed,
  subjectNotFound,
  subjectNotSoftDeleted,
  subjectSoftDeleted,
  versionNotFound,
  versionNotSoftDeleted,
  versionSoftDeleted,
} from './errors.ts'
import type { SchemaValue } from './records.ts'
import type { LookupOptions, RegistryStore, StoredVersion } from './registry-store.ts'
import type { SchemasTopic } from './schemas-topic.ts'

export type VersionId = number | 'latest'

export interface RegistryDeps {
  readonly store: RegistryStore
  readonly log: Pick<SchemasTopic, 'append' | 'catchUp'>
  /** From a request's arrival to its answer, waiting for other writes included. */
  readonly writeTimeoutMs: number
}

/** Another registry on the same topic can take an id or a version first; more often than this it is not chance. */
const MAX_ATTEMPTS = 3

/** What the registry does. Reads answer from memory; a write is answered after its record came back from Kafka. */
export const createRegistry = ({ store, log, writeTimeoutMs }: RegistryDeps) => {
  let lastWrite: Promise<unknown> = Promise.resolve()

  /** One write at a time, each deciding on everything that was written before it: so no two take the same id. */
  const write = <T>(task: (deadline: number) => Promise<T>): Promise<T> => {
    const deadline = Date.now() + writeTimeoutMs
    const turn = lastWrite.then(async () => {
      if (Date.now() >= deadline) throw storeFailed('timed out while earlier writes were waiting for Kafka')
      await log.catchUp(deadline)
      return task(deadline)
    })
    lastWrite = turn.catch(() => undefined)
    return turn
  }

  const findVersion = (subject: string, version: VersionId, options: LookupOptions = {}): StoredVersion => {
    const versions = store.versionsOf(subject, options)
    const found = version === 'latest' ? versions.at(-1) : versions.find((stored) => stored.version === version)
    if (found !== undefined) return found
    throw versions.length === 0 ? subjectNotFound(subject) : versionNotFound(version)
  }

  const findSchema = (subject: string, identity: string, options: LookupOptions = {}) =>
    store.versionsOf(subject, options).findLast((stored) => stored.identity === identity)

  const register = async (subject: string, text: string): Promise<number> => {
    const schema = readSchema(text)
    // A producer that only confirms its schema at start needs no Kafka for it.
    const known = findSchema(subject, schema.text)
    if (known !== undefined) return known.id

    return write(async (deadline) => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const earlier = findSchema(subject, schema.text)
        if (earlier !== undefined) return earlier.id
        const messages = judgeSchema(store.levelOf(subject), schema.type, store.versionsOf(subject))
        if (messages.length > 0) throw incompatibleSchema(subject, messages)

        const id = store.idOf(schema.text) ?? store.nextId()
        const value: SchemaValue = {
          subject,
          version: store.nextVersion(subject),
          id,
          schema: schema.text,
          deleted: false,
        }
        await log.append({ keytype: 'SCHEMA', subject, version: value.version, value }, deadline)
        if (findSchema(subject, schema.text)?.version === value.version) {
          await dropDeletedTwins(value, deadline)
          return id
        }
        await restoreFirstClaim(value, deadline)
      }
      throw storeFailed('another registry writes to the same topic')
    })
  }

  /** One schema is one version of a subject. Only after the new one is safe: it may be the last that holds the id. */
  const dropDeletedTwins = async ({ subject, version, id }: SchemaValue, deadline: number) => {
    for (const twin of store.versionsOf(subject, { deleted: true })) {
      if (twin.id !== id || twin.version === version) continue
      await log.append({ keytype: 'SCHEMA', subject, version: twin.version }, deadline)
    }
  }

  /**
   * Our record lost against one that another registry wrote a moment earlier under the same key, but in the compacted
   * topic the later record is the one that remains. Writing the winner again keeps it.
   */
  const restoreFirstClaim = async ({ subject, version, id, schema }: SchemaValue, deadline: number) => {
    const winner = store.versionsOf(subject, { deleted: true }).find((stored) => stored.version === version)
    if (winner !== undefined && (winner.id !== id || winner.identity !== schema)) {
      await log.append({ keytype: 'SCHEMA', subject, version, value: recordValue(winner) }, deadline)
    }
  }

  const setLevel = (subject: string | undefined, level: CompatibilityLevel | undefined) =>
    write((deadline) => log.append({ keytype: 'CONFIG', subject, ...(level !== undefined && { level }) }, deadline))

  const dropSubjectLevel = async (subject: string, deadline: number) => {
    if (store.configuredLevel(subject) !== undefined) await log.append({ keytype: 'CONFIG', subject }, deadline)
  }

  const deleteVersion = (subject: string, version: VersionId, permanent: boolean): Promise<number> =>
    write(async (deadline) => {
      const stored = findVersion(subject, version, { deleted: version !== 'latest' || permanent })
      const at = { keytype: 'SCHEMA' as const, subject, version: stored.version }
      if (permanent) {
        if (!stored.deleted) throw versionNotSoftDeleted(subject, stored.version)
        await log.append(at, deadline)
        return stored.version
      }
      if (stored.deleted) throw versionSoftDeleted(subject, stored.version)
      await log.append({ ...at, value: { ...recordValue(stored), deleted: true } }, deadline)
      if (store.versionsOf(subject).length === 0) await dropSubjectLevel(subject, deadline)
      return stored.version
    })

  const deleteSubject = (subject: string, permanent: boolean): Promise<number[]> =>
    write(async (deadline) => {
      const all = store.versionsOf(subject, { deleted: true })
      const live = store.versionsOf(subject)
      const last = live.at(-1)
      if (all.length === 0) throw subjectNotFound(subject)
      if (permanent) {
        if (last !== undefined) throw subjectNotSoftDeleted(subject)
        for (const { version } of all) await log.append({ keytype: 'SCHEMA', subject, version }, deadline)
        return all.map(({ version }) => version)
      }
      if (last === undefined) throw subjectSoftDeleted(subject)
      await log.append({ keytype: 'DELETE_SUBJECT', subject, upTo: last.version }, deadline)
      await dropSubjectLevel(subject, deadline)
      return live.map(({ version }) => version)
    })

  return {
    register,
    findVersion,
    setLevel,
    deleteVersion,
    deleteSubject,

    lookup(subject: string, text: string, options: LookupOptions): StoredVersion {
      if (store.versionsOf(subject, options).length === 0) throw subjectNotFound(subject)
      const found = findSchema(subject, readSchema(text).text, options)
      if (found === undefined) throw schemaNotFound()
      return found
    },

    /** Against one version, or against all that the subject's level asks for. */
    judge(subject: string, version: VersionId | undefined, text: string): readonly string[] {
      const { type } = readSchema(text)
      const earlier = version === undefined ? store.versionsOf(subject) : [findVersion(subject, version)]
      return judgeSchema(store.levelOf(subject), type, earlier)
    },
  }
}

export type Registry = ReturnType<typeof createRegistry>

const recordValue = ({ identity: _identity, type: _type, ...value }: StoredVersion): SchemaValue => value
