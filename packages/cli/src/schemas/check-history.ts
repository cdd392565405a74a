import { findContractFaults, findDivergingTypes } from '@dropbell/schemas/compatibility'
import type { SchemaHistory } from '@dropbell/schemas/contract'
import { compareWithLock, fingerprintOf, type HistoryLock } from '@dropbell/schemas/history-lock'

export interface HistorySources {
  /** The `.avsc` files as they are now. */
  readonly files: readonly SchemaHistory[]
  /** What the services were built with, generated from those files. */
  readonly embedded: readonly SchemaHistory[]
  /** Every version that was ever committed. */
  readonly lock: HistoryLock
}

export interface HistoryFaults {
  readonly byRecord: ReadonlyMap<string, readonly string[]>
  /** What concerns no single record: one that vanished, or a type that differs between two. */
  readonly general: readonly string[]
}

/** What is wrong with the working tree compared to the committed history, in words. */
export const findHistoryFaults = ({ files, embedded, lock }: HistorySources): HistoryFaults => {
  const names = new Set(files.map(({ name }) => name))
  const vanished = Object.fromEntries(Object.entries(lock).filter(([name]) => !names.has(name)))
  const byRecord = files.map((history): [string, string[]] => {
    const { name } = history
    const built = embedded.find((candidate) => candidate.name === name)
    const committed = lock[name] === undefined ? {} : { [name]: lock[name] }
    return [name, [...findContractFaults([history], committed), ...findStaleVersions(history, built)]]
  })
  return { byRecord: new Map(byRecord), general: [...compareWithLock([], vanished), ...findDivergingTypes(files)] }
}

/** A schema that was edited but not generated again would pass every check and reach no service. */
const findStaleVersions = ({ name, versions }: SchemaHistory, built: SchemaHistory | undefined): string[] => {
  const current = versions.map(({ schema }) => fingerprintOf(schema)).join()
  if (built?.versions.map(({ schema }) => fingerprintOf(schema)).join() === current) return []
  return [`${name} differs from the code made of it: run npx pnpm generate.`]
}
