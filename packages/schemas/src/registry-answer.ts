import { RegistryRefusedError, RegistryUnavailableError } from './codec-errors.ts'
import type { RegistryAnswer } from './registry-http.ts'

export const SUBJECT_NOT_FOUND = 40401
export const VERSION_NOT_FOUND = 40402
export const SCHEMA_NOT_FOUND = 40403
export const SUBJECT_LEVEL_NOT_SET = 40408

/** Only the registry's own code counts: a proxy or a wrong path answers 404 too. */
export function isMissing({ status, body }: RegistryAnswer, ...codes: number[]): boolean {
  return status === 404 && codes.includes((body as { error_code?: number } | null)?.error_code ?? 0)
}

/** The body, if the registry did what it was asked. */
export function accepted({ status, body, request, retryAfterMs }: RegistryAnswer): unknown {
  if (status >= 200 && status < 300) return body
  const { error_code, message } = (body ?? {}) as { error_code?: number; message?: string }
  const why = `${status} ${message ?? ''}`.trim()
  if ((status === 409 || status === 422) && error_code !== undefined) {
    throw new RegistryRefusedError(request, status, message ?? 'no reason given')
  }
  throw new RegistryUnavailableError(request, why, retryAfterMs === undefined ? {} : { retryAfterMs })
}

export function textOf(answer: RegistryAnswer, field: string): string {
  return fieldOf(answer, field, 'string') as string
}

export function numberOf(answer: RegistryAnswer, field: string): number {
  return fieldOf(answer, field, 'number') as number
}

function fieldOf(answer: RegistryAnswer, field: string, type: 'string' | 'number'): unknown {
  const value = (accepted(answer) as Record<string, unknown> | null)?.[field]
  if (typeof value === type) return value
  throw new RegistryUnavailableError(answer.request, `its answer has no ${field}, so it is not a schema registry's`)
}
