import { createHash } from 'node:crypto'
import type { AvroTypeDefinition, SchemaHistory } from './contract.ts'

/** By record name and version: the fingerprint the version had when it was committed. */
export type HistoryLock = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Of everything but white space. Avro's own fingerprint leaves out defaults and docs, but a changed default changes
 * what readers see, and a registry takes a schema with another doc for another schema.
 */
export function fingerprintOf(schema: AvroTypeDefinition): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('hex')
}

/** Adds what is new. Never changes or removes an entry: that is what the lock is there to prevent. */
export function extendLock(lock: HistoryLock, histories: readonly SchemaHistory[]): HistoryLock {
  const extended: Record<string, Record<string, string>> = {}
  for (const [name, versions] of Object.entries(lock)) extended[name] = { ...versions }
  for (const { name, versions } of histories) {
    const locked = extended[name] ?? {}
    for (const { version, schema } of versions) locked[version] ??= fingerprintOf(schema)
    extended[name] = locked
  }
  return extended
}

/** What is wrong with the histories compared to the lock, in words. Empty if nothing is. */
export function compareWithLock(histories: readonly SchemaHistory[], lock: HistoryLock): string[] {
  const byName = new Map(histories.map((history) => [history.name, history]))
  const rewritten = Object.entries(lock).flatMap(([name, locked]) =>
    Object.entries(locked).flatMap(([version, fingerprint]) => {
      const found = byName.get(name)?.versions.find((candidate) => String(candidate.version) === version)
      if (found === undefined) return [`${name} v${version} was removed. Published versions stay: bring it back.`]
      if (fingerprintOf(found.schema) === fingerprint) return []
      return [`${name} v${version} was changed. Published versions stay as they are: undo it and add the next version.`]
    }),
  )
  const unlocked = histories.flatMap(({ name, versions }) =>
    versions
      .filter(({ version }) => lock[name]?.[version] === undefined)
      .map(({ version }) => `${name} v${version} is new and not in the lock yet: run npx pnpm generate.`),
  )
  return [...rewritten, ...unlocked]
}
