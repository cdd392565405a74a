import { z } from 'zod'
import type { Answer } from './answer.ts'
import { errorAnswer, malformedAnswer } from './error-answer.ts'

const strings = z.record(z.string(), z.string())
const anything = z.record(z.string(), z.unknown())

/** The parts of a message that senders of notifications use, in the names of the wire. */
const androidSchema = z.strictObject({
  collapse_key: z.string().optional(),
  priority: z.string().optional(),
  ttl: z.string().optional(),
  restricted_package_name: z.string().optional(),
  data: strings.optional(),
  notification: anything.optional(),
  fcm_options: anything.optional(),
  direct_boot_ok: z.boolean().optional(),
})

const requestSchema = z.strictObject({
  validate_only: z.boolean().optional(),
  message: z.strictObject({
    name: z.string().optional(),
    data: strings.optional(),
    notification: z
      .strictObject({ title: z.string().optional(), body: z.string().optional(), image: z.string().optional() })
      .optional(),
    android: androidSchema.optional(),
    webpush: z
      .strictObject({
        headers: strings.optional(),
        data: strings.optional(),
        notification: anything.optional(),
        fcm_options: anything.optional(),
      })
      .optional(),
    apns: z
      .strictObject({ headers: strings.optional(), payload: anything.optional(), fcm_options: anything.optional() })
      .optional(),
    fcm_options: anything.optional(),
    token: z.string().optional(),
    topic: z.string().optional(),
    condition: z.string().optional(),
  }),
})

type FcmMessage = z.infer<typeof requestSchema>['message']

export interface TokenMessage extends FcmMessage {
  readonly token: string
}

export type CheckedRequest =
  | { readonly kind: 'message'; readonly message: TokenMessage; readonly validateOnly: boolean }
  | { readonly kind: 'refused'; readonly answer: Answer; readonly token?: string | undefined }

/** What FCM finds wrong with a request before it looks for the device. */
export const checkRequest = (body: string): CheckedRequest => {
  const json = parseJson(body)
  if (json === undefined) return { kind: 'refused', answer: malformedAnswer('', 'Unexpected token.') }
  const parsed = requestSchema.safeParse(json)
  if (!parsed.success) return { kind: 'refused', answer: describeIssue(parsed.error), token: tokenIn(json) }
  const { message, validate_only: validateOnly = false } = parsed.data
  const { token } = message
  if (token === undefined) return { kind: 'refused', answer: recipientMissing }
  const answer = checkContent({ ...message, token })
  return answer ? { kind: 'refused', answer, token } : { kind: 'message', message: { ...message, token }, validateOnly }
}

const recipientMissing = errorAnswer('INVALID_ARGUMENT', {
  message: 'Recipient of the message is not set.',
  field: 'message',
})

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const tokenIn = (json: unknown): string | undefined => {
  const token = (json as { message?: { token?: unknown } } | null)?.message?.token
  return typeof token === 'string' ? token : undefined
}

const describeIssue = ({ issues: [issue] }: z.ZodError): Answer => {
  const field = issue?.path.join('.') ?? ''
  if (issue?.code !== 'unrecognized_keys') return malformedAnswer(field, `Invalid value at '${field}'`)
  return malformedAnswer(field, `Unknown name "${issue.keys[0]}" at '${field}': Cannot find field.`)
}

const maxPayloadBytes = 4_096
const maxTtlSeconds = 2_419_200
const maxCollapseIdBytes = 64

const checkContent = (message: TokenMessage): Answer | undefined => {
  const { token, data = {}, android, apns } = message
  // No BadRequest detail: FCM names no field here, only a text.
  if (!/^[\w:.%-]{8,4096}$/.test(token)) return invalid('The registration token is not a valid FCM registration token')
  const reserved = Object.keys(data).find(isReserved)
  if (reserved !== undefined) return invalid(`Invalid data payload key: ${reserved}`, 'message.data')
  if (android?.ttl !== undefined && !isTtl(android.ttl)) return invalid('Invalid TTL', 'message.android.ttl')
  if (android?.priority !== undefined && !/^(normal|high)$/i.test(android.priority)) {
    return malformedAnswer(
      'message.android.priority',
      `Invalid value at 'message.android.priority' (type.googleapis.com/google.firebase.fcm.v1.AndroidConfig.AndroidMessagePriority)`,
    )
  }
  if (sizeOf(data, message.notification, android) > maxPayloadBytes) {
    return invalid('Android message is too big', 'message.android')
  }
  return checkApns(message, apns)
}

const checkApns = (message: TokenMessage, apns: TokenMessage['apns']): Answer | undefined => {
  const { headers = {}, payload = {} } = apns ?? {}
  if (headers['apns-push-type'] === 'background' && headers['apns-priority'] !== '5') {
    return errorAnswer('INVALID_ARGUMENT', { apns: { statusCode: 400, reason: 'BadPriority' } })
  }
  if (bytesOf(headers['apns-collapse-id'] ?? '') > maxCollapseIdBytes) {
    return errorAnswer('INVALID_ARGUMENT', { apns: { statusCode: 400, reason: 'BadCollapseId' } })
  }
  if (bytesOf(JSON.stringify({ ...message.data, ...payload })) > maxPayloadBytes) {
    return errorAnswer('INVALID_ARGUMENT', { apns: { statusCode: 413, reason: 'PayloadTooLarge' } })
  }
  return undefined
}

const invalid = (message: string, field?: string): Answer => errorAnswer('INVALID_ARGUMENT', { message, field })

const isReserved = (key: string): boolean => /^(from$|message_type$|google|gcm)/.test(key)

const isTtl = (ttl: string): boolean => /^\d+(\.\d{1,9})?s$/.test(ttl) && Number.parseFloat(ttl) <= maxTtlSeconds

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Keys and values of what goes to the device. */
const sizeOf = (data: object, notification: object | undefined, android: TokenMessage['android']): number =>
  [data, notification, android?.notification, android?.data]
    .flatMap((part) => Object.entries(part ?? {}))
    .reduce((sum, [key, value]) => sum + bytesOf(key) + bytesOf(String(value)), 0)
