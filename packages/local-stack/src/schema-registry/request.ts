import { invalidSchema, invalidSubject, invalidVersion, malformedRequest, operationNotPermitted } from './errors.ts'
import type { VersionId } from './registry.ts'

/** What the routes read from a request, or the refusal Confluent's clients expect. */

const MAX_VERSION = 2 ** 31 - 1

export interface SubjectParams {
  readonly subject: string
}

export interface VersionParams extends SubjectParams {
  readonly version: string
}

export const flag = (value: unknown): boolean => value === 'true'

export const readSubject = ({ subject }: SubjectParams): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being refused.
  if (subject.trim() === '' || /[\u0000-\u001f\u007f-\u009f]/.test(subject)) throw invalidSubject(subject)
  return subject
}

export const readVersion = ({ version }: VersionParams): VersionId => {
  if (version.toLowerCase() === 'latest' || version === '-1') return 'latest'
  const number = /^\d+$/.test(version) ? Number(version) : 0
  if (number < 1 || number > MAX_VERSION) throw invalidVersion(version)
  return number
}

export const readBody = (body: unknown): Record<string, unknown> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw malformedRequest('The request body must be a JSON object')
  }
  return body as Record<string, unknown>
}

/** The schema text of a request to register, look up or judge one. */
export const readSchemaRequest = (body: unknown): string => {
  const { schema, schemaType, references, id, version } = readBody(body)
  if (schemaType !== undefined && schemaType !== null && schemaType !== 'AVRO') {
    throw invalidSchema(`Invalid schema type ${JSON.stringify(schemaType)}: this registry takes AVRO only`)
  }
  if (references !== undefined && references !== null && !(Array.isArray(references) && references.length === 0)) {
    throw invalidSchema('Schema references are not supported: put the referenced types into the schema')
  }
  if (typeof id === 'number' && id >= 0) throw operationNotPermitted('An id can be given in import mode only')
  if (typeof version === 'number' && version > 0) {
    throw operationNotPermitted('A version can be given in import mode only')
  }
  if (typeof schema !== 'string' || schema.trim() === '') throw invalidSchema('Empty schema')
  return schema
}
