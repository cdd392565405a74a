import { RegistryRefusedError } from '../codec-errors.ts'
import { whyUnreadable } from '../compatibility.ts'
import type { AvroTypeDefinition } from '../contract.ts'
import type { RegistryClient } from '../registry-client.ts'

export interface MemoryRegistry extends RegistryClient {
  /** How often each function was called, by name. */
  readonly calls: Map<string, number>
  /** Every call fails with this until it is taken away again. */
  outage: Error | undefined
}

/** A registry without HTTP. `registry-contract.ts` keeps it like the real one. */
export function createMemoryRegistry(): MemoryRegistry {
  const texts: string[] = []
  const subjects = new Map<string, string[]>()
  const levels = new Map<string, string>()
  const calls = new Map<string, number>()

  const idOf = (text: string): number => texts.indexOf(text) + 1
  const newestOf = (subject: string): AvroTypeDefinition | undefined => {
    const newest = subjects.get(subject)?.at(-1)
    return newest === undefined ? undefined : JSON.parse(newest)
  }
  const whyIncompatible = (subject: string, schema: AvroTypeDefinition): string | undefined => {
    const newest = newestOf(subject)
    if (newest === undefined || levels.get(subject) === 'NONE') return undefined
    return whyUnreadable(schema, newest)
  }
  async function answer<T>(name: string, make: () => T): Promise<T> {
    calls.set(name, (calls.get(name) ?? 0) + 1)
    if (registry.outage !== undefined) throw registry.outage
    return make()
  }

  const registry: MemoryRegistry = {
    calls,
    outage: undefined,
    schemaById: (id) => answer('schemaById', () => texts[id - 1]),
    idOfSchema: (subject, schema) =>
      answer('idOfSchema', () => {
        const text = JSON.stringify(schema)
        return subjects.get(subject)?.includes(text) ? idOf(text) : undefined
      }),
    versionsOf: (subject) => answer('versionsOf', () => subjects.get(subject)?.map((_, index) => index + 1)),
    register: (subject, schema) =>
      answer('register', () => {
        const text = JSON.stringify(schema)
        const known = subjects.get(subject) ?? []
        if (known.includes(text)) return idOf(text)
        const why = whyIncompatible(subject, schema)
        if (why !== undefined) throw new RegistryRefusedError(`POST ${subject}`, 409, why)
        if (idOf(text) === 0) texts.push(text)
        subjects.set(subject, [...known, text])
        return idOf(text)
      }),
    compatibilityOf: (subject) => answer('compatibilityOf', () => levels.get(subject)),
    setCompatibility: (subject, level) => answer('setCompatibility', () => void levels.set(subject, level)),
    testCompatibility: (subject, schema) =>
      answer('testCompatibility', () => {
        const why = whyIncompatible(subject, schema)
        return { compatible: why === undefined, messages: why === undefined ? [] : [why] }
      }),
  }
  return registry
}
