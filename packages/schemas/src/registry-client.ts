import type { AvroTypeDefinition } from './contract.ts'
import {
  accepted,
  isMissing,
  numberOf,
  SUBJECT_LEVEL_NOT_SET,
  SUBJECT_NOT_FOUND,
  textOf,
  VERSION_NOT_FOUND,
} from './registry-answer.ts'
import { createRegistryHttp, type RegistryHttpOptions } from './registry-http.ts'
import { createRegistryLookup } from './registry-lookup.ts'
import type { SchemaRegistry } from './schema-registry.ts'

export interface CompatibilityVerdict {
  readonly compatible: boolean
  /** The registry's own words, if it gives any. */
  readonly messages: readonly string[]
}

export interface RegistryClient extends SchemaRegistry {
  /** Undefined if there is no such subject. */
  versionsOf(subject: string): Promise<number[] | undefined>
  register(subject: string, schema: AvroTypeDefinition): Promise<number>
  /** The level set for this very subject; undefined if the global one counts. */
  compatibilityOf(subject: string): Promise<string | undefined>
  setCompatibility(subject: string, level: string): Promise<void>
  /** Against the newest version of the subject. A subject without versions takes anything. */
  testCompatibility(subject: string, schema: AvroTypeDefinition): Promise<CompatibilityVerdict>
}

/**
 * Lookups go through `@kafkajs/confluent-schema-registry` (`registry-lookup.ts`). What follows here is what
 * `dropbell schemas` needs besides and the library does not offer. Its `register` is not used: it throws unless the
 * subject's level is the one it is told, and here an operator's stricter level is kept.
 */
export function createRegistryClient(options: RegistryHttpOptions): RegistryClient {
  const ask = createRegistryHttp(options)
  const inSubject = (subject: string) => `/subjects/${encodeURIComponent(subject)}`
  const configOf = (subject: string) => `/config/${encodeURIComponent(subject)}`
  const bodyWith = (schema: AvroTypeDefinition) => JSON.stringify({ schema: JSON.stringify(schema) })

  return {
    ...createRegistryLookup(ask),

    async versionsOf(subject) {
      const answer = await ask('GET', `${inSubject(subject)}/versions`)
      return isMissing(answer, SUBJECT_NOT_FOUND) ? undefined : (accepted(answer) as number[])
    },

    async register(subject, schema) {
      return numberOf(await ask('POST', `${inSubject(subject)}/versions`, bodyWith(schema)), 'id')
    },

    async compatibilityOf(subject) {
      const answer = await ask('GET', configOf(subject))
      if (isMissing(answer, SUBJECT_NOT_FOUND, SUBJECT_LEVEL_NOT_SET)) return undefined
      return textOf(answer, 'compatibilityLevel')
    },

    async setCompatibility(subject, level) {
      accepted(await ask('PUT', configOf(subject), JSON.stringify({ compatibility: level })))
    },

    async testCompatibility(subject, schema) {
      const path = `/compatibility${inSubject(subject)}/versions/latest?verbose=true`
      const answer = await ask('POST', path, bodyWith(schema))
      if (isMissing(answer, SUBJECT_NOT_FOUND, VERSION_NOT_FOUND)) return { compatible: true, messages: [] }
      const { is_compatible, messages } = accepted(answer) as { is_compatible?: unknown; messages?: string[] }
      return { compatible: is_compatible === true, messages: messages ?? [] }
    },
  }
}
