import { parseRetryAfter } from '../retry-after.ts'
import { errorOfStatus, type FcmErrorCode, fcmErrors, isFcmErrorCode, mayHaveBeenTaken } from './fcm-errors.ts'
import type { TransportResult } from './transport.ts'

export interface HttpAnswer {
  readonly status: number
  readonly body: string
  readonly retryAfter?: string | undefined
}

interface ErrorDetail {
  readonly '@type'?: string
  readonly errorCode?: unknown
  readonly fieldViolations?: readonly { readonly field?: string }[]
}

const fcmErrorType = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'
const apnsErrorType = 'type.googleapis.com/google.firebase.fcm.v1.ApnsError'

/** What an answer means, by its status and details; its text is for people. */
export const readAnswer = (
  { status, body, retryAfter }: HttpAnswer,
  latencyMs: number,
  now: number,
): TransportResult => {
  if (status === 200) return { kind: 'accepted', latencyMs, providerId: nameIn(body) }
  const details = detailsIn(body)
  const said = details.find((detail) => detail['@type'] === fcmErrorType)?.errorCode
  if (!isFcmErrorCode(said) && mayHaveBeenTaken(status)) return { kind: 'unknown', code: 'GATEWAY_FAILED', latencyMs }
  const code = isFcmErrorCode(said) ? said : errorOfStatus(status)
  const retryAfterMs = parseRetryAfter(retryAfter, now)
  return {
    kind: 'refused',
    code,
    retryable: fcmErrors[code].retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...targetFault(code, said === code ? details : undefined),
    latencyMs,
  }
}

const targetFault = (code: FcmErrorCode, details: readonly ErrorDetail[] | undefined) => {
  if (fcmErrors[code].fault === 'device') return { invalidTarget: true }
  if (code !== 'INVALID_ARGUMENT' || details === undefined) return {}
  const fields = details.filter((detail) => detail['@type'] === badRequestType).flatMap(fieldsOf)
  if (fields.includes('message.token')) return { invalidTarget: true }
  const explained = fields.length > 0 || details.some((detail) => detail['@type'] === apnsErrorType)
  return explained ? {} : { tokenInDoubt: true }
}

const fieldsOf = ({ fieldViolations = [] }: ErrorDetail): (string | undefined)[] =>
  fieldViolations.map(({ field }) => field)

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The answer may be anything: a proxy's page, half a body, something new. */
const nameIn = (body: string): string | null => {
  const name = (parse(body) as { name?: unknown } | undefined)?.name
  return typeof name === 'string' ? name : null
}

const detailsIn = (body: string): readonly ErrorDetail[] => {
  const details = (parse(body) as { error?: { details?: unknown } } | undefined)?.error?.details
  return Array.isArray(details) ? details.filter((detail) => typeof detail === 'object' && detail !== null) : []
}
