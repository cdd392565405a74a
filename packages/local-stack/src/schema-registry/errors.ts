/** An answer that is not a success: the HTTP status, Confluent's error code and the words clients print. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

const notFound = (code: number, message: string) => new RegistryError(404, code, message)
const unprocessable = (code: number, message: string, options?: ErrorOptions) =>
  new RegistryError(422, code, message, options)

export const subjectNotFound = (subject: string) => notFound(40401, `Subject '${subject}' not found.`)
export const versionNotFound = (version: number | 'latest') => notFound(40402, `Version ${version} not found.`)
export const schemaNotFound = (id?: number) =>
  notFound(40403, id === undefined ? 'Schema not found' : `Schema ${id} not found`)
export const subjectSoftDeleted = (subject: string) =>
  notFound(40404, `Subject '${subject}' was soft deleted. Set permanent=true to delete permanently`)
export const subjectNotSoftDeleted = (subject: string) =>
  notFound(40405, `Subject '${subject}' was not deleted first before being permanently deleted`)
export const versionSoftDeleted = (subject: string, version: number) =>
  notFound(40406, `Subject '${subject}' Version ${version} was soft deleted. Set permanent=true to delete permanently`)
export const versionNotSoftDeleted = (subject: string, version: number) =>
  notFound(40407, `Subject '${subject}' Version ${version} was not deleted first before being permanently deleted`)
export const compatibilityNotConfigured = (subject: string) =>
  notFound(40408, `Subject '${subject}' does not have subject-level compatibility configured`)

export const incompatibleSchema = (subject: string, messages: readonly string[]) =>
  new RegistryError(
    409,
    409,
    `Schema being registered is incompatible with an earlier schema for subject "${subject}", details: [${messages.join(', ')}]`,
  )

export const malformedRequest = (message: string) => unprocessable(422, message)
export const invalidSchema = (message: string, options?: ErrorOptions) => unprocessable(42201, message, options)
export const invalidVersion = (version: string) =>
  unprocessable(
    42202,
    `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
  )
export const invalidCompatibilityLevel = () =>
  unprocessable(
    42203,
    'Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive',
  )
export const operationNotPermitted = (message: string) => unprocessable(42205, message)
export const invalidSubject = (subject: string) =>
  unprocessable(42208, `The specified subject '${JSON.stringify(subject).slice(1, -1)}' is not a valid subject.`)

export const storeFailed = (reason: string, options?: ErrorOptions) =>
  new RegistryError(500, 50001, `Error in the backend data store: ${reason}`, options)
