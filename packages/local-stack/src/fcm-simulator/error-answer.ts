import { type Answer, jsonAnswer } from './answer.ts'
import type { FcmErrorCode } from './behaviour.ts'

interface ErrorKind {
  readonly status: number
  readonly rpcStatus: string
  readonly message: string
  /** Beside FcmError. */
  readonly details?: readonly object[]
  /** Said by Google's front end, before FCM has looked at the message. */
  readonly withoutFcmError?: boolean
}

const typeOf = (name: string): string => `type.googleapis.com/${name}`

const quotaFailure = {
  '@type': typeOf('google.rpc.QuotaFailure'),
  violations: [{ subject: 'project', description: 'Message rate quota of the project exceeded' }],
}

const apnsRefusal = (statusCode: number, reason: string): object => ({
  '@type': typeOf('google.firebase.fcm.v1.ApnsError'),
  statusCode,
  reason,
})

/** The answers of the FCM HTTP v1 API, as its reference and its users show them. */
const errorKinds: Readonly<Record<FcmErrorCode, ErrorKind>> = {
  UNSPECIFIED_ERROR: { status: 500, rpcStatus: 'UNKNOWN', message: 'Unknown error.' },
  INVALID_ARGUMENT: { status: 400, rpcStatus: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  UNREGISTERED: { status: 404, rpcStatus: 'NOT_FOUND', message: 'Requested entity was not found.' },
  SENDER_ID_MISMATCH: { status: 403, rpcStatus: 'PERMISSION_DENIED', message: 'SenderId mismatch' },
  QUOTA_EXCEEDED: {
    status: 429,
    rpcStatus: 'RESOURCE_EXHAUSTED',
    message: 'Message rate quota exceeded for the project.',
    details: [quotaFailure],
  },
  UNAVAILABLE: { status: 503, rpcStatus: 'UNAVAILABLE', message: 'The service is currently unavailable.' },
  INTERNAL: { status: 500, rpcStatus: 'INTERNAL', message: 'Internal error encountered.' },
  THIRD_PARTY_AUTH_ERROR: {
    status: 401,
    rpcStatus: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
    details: [apnsRefusal(403, 'InvalidProviderToken')],
  },
  UNAUTHENTICATED: {
    status: 401,
    rpcStatus: 'UNAUTHENTICATED',
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    withoutFcmError: true,
  },
  PERMISSION_DENIED: {
    status: 403,
    rpcStatus: 'PERMISSION_DENIED',
    message: "Permission 'cloudmessaging.messages.create' denied on resource.",
    withoutFcmError: true,
  },
}

export interface ErrorOptions {
  readonly message?: string
  readonly retryAfter?: string | undefined
  /** A BadRequest detail that names it. */
  readonly field?: string | undefined
  readonly apns?: { readonly statusCode: number; readonly reason: string }
}

export const errorAnswer = (code: FcmErrorCode, { message, retryAfter, field, apns }: ErrorOptions = {}): Answer => {
  const kind = errorKinds[code]
  const text = message ?? kind.message
  const details = [
    ...(kind.withoutFcmError
      ? []
      : [{ '@type': typeOf('google.firebase.fcm.v1.FcmError'), errorCode: code } satisfies object]),
    ...(kind.details ?? []),
    ...(field === undefined ? [] : [badRequest(field, text)]),
    ...(apns === undefined ? [] : [apnsRefusal(apns.statusCode, apns.reason)]),
  ]
  const error = { code: kind.status, message: text, status: kind.rpcStatus, ...(details.length > 0 && { details }) }
  return jsonAnswer(kind.status, { error }, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}

/** The front end's refusal of JSON that is no message at all: FCM never saw it. */
export const malformedAnswer = (field: string, description: string): Answer => {
  const message = `Invalid JSON payload received. ${description}`
  const details = [badRequest(field, message)]
  return jsonAnswer(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } })
}

const badRequest = (field: string, description: string): object => ({
  '@type': typeOf('google.rpc.BadRequest'),
  fieldViolations: [{ field, description }],
})
