import { RegistryRefusedError, RegistryUnavailableError } from './codec-errors.ts'
import type { AvroTypeDefinition } from './contract.ts'
import { createRegistryHttp, type RegistryAnswer, type RegistryHttpOptions } from './registry-http.ts'
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

const SUBJECT_NOT_FOUND = 40401
const VERSION_NOT_FOUND = 40402
const SCHEMA_NOT_FOUND = 40403
const SUBJECT_LEVEL_NOT_SET = 40408

/**
 * Confluent's REST API. `@kafkajs/confluent-schema-registry` is not used for this: it has no deadline, it reports a
 * refused connection as status 400, and it hides the `error_code` that tells an unknown id from a wrong address.
 */
export function createRegistryClient(options: RegistryHttpOptions): RegistryClient {
  const ask = createRegistryHttp(options)
  const inSubject = (subject: string) => `/subjects/${encodeURIComponent(subject)}`

  return {
    async schemaById(id) {
      const answer = await ask('GET', `/schemas/ids/${id}`)
      return isMissing(answer, SCHEMA_NOT_FOUND) ? undefined : textOf(answer, 'schema')
    },

    async idOfSchema(subject, schema) {
      const answer = await ask('POST', inSubject(subject), { schema: JSON.stringify(schema) })
      return isMissing(answer, SUBJECT_NOT_FOUND, SCHEMA_NOT_FOUND) ? undefined : numberOf(answer, 'id')
    },

    async versionsOf(subject) {
      const answer = await ask('GET', `${inSubject(subject)}/versions`)
      return isMissing(answer, SUBJECT_NOT_FOUND) ? undefined : (accepted(answer) as number[])
    },

    async register(subject, schema) {
      return numberOf(await ask('POST', `${inSubject(subject)}/versions`, { schema: JSON.stringify(schema) }), 'id')
    },

    async compatibilityOf(subject) {
      const answer = await ask('GET', `/config/${encodeURIComponent(subject)}`)
      if (isMissing(answer, SUBJECT_NOT_FOUND, SUBJECT_LEVEL_NOT_SET)) return undefined
      return textOf(answer, 'compatibilityLevel')
    },

    async setCompatibility(subject, level) {
      accepted(await ask('PUT', `/config/${encodeURIComponent(subject)}`, { compatibility: level }))
    },

    async testCompatibility(subject, schema) {
      const path = `/compatibility${inSubject(subject)}/versions/latest?verbose=true`
      const answer = await ask('POST', path, { schema: JSON.stringify(schema) })
      if (isMissing(answer, SUBJECT_NOT_FOUND, VERSION_NOT_FOUND)) return { compatible: true, messages: [] }
      const { is_compatible, messages } = accepted(answer) as { is_compatible?: unknown; messages?: string[] }
      return { compatible: is_compatible === true, messages: messages ?? [] }
    },
  }
}

/** Only the registry's own code counts: a proxy or a wrong path answers 404 too. */
function isMissing({ status, body }: RegistryAnswer, ...codes: number[]): boolean {
  return status === 404 && codes.includes((body as { error_code?: number } | null)?.error_code ?? 0)
}

function accepted({ status, body, request, retryAfterMs }: RegistryAnswer): unknown {
  if (status >= 200 && status < 300) return body
  const { error_code, message } = (body ?? {}) as { error_code?: number; message?: string }
  const why = `${status} ${message ?? ''}`.trim()
  if ((status === 409 || status === 422) && error_code !== undefined) {
    throw new RegistryRefusedError(request, status, message ?? 'no reason given')
  }
  throw new RegistryUnavailableError(request, why, retryAfterMs === undefined ? {} : { retryAfterMs })
}

function textOf(answer: RegistryAnswer, field: string): string {
  return fieldOf(answer, field, 'string') as string
}

function numberOf(answer: RegistryAnswer, field: string): number {
  return fieldOf(answer, field, 'number') as number
}

function fieldOf(answer: RegistryAnswer, field: string, type: 'string' | 'number'): unknown {
  const value = (accepted(answer) as Record<string, unknown> | null)?.[field]
  if (typeof value === type) return value
  throw new RegistryUnavailableError(answer.request, `its answer has no ${field}, so it is not a schema registry's`)
}
