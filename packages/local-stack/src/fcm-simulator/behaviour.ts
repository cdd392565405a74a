import { z } from 'zod'

/** As in `FcmError.errorCode`, and the two ways in which our own credentials can be wrong. */
export const fcmErrorCodes = [
  'UNSPECIFIED_ERROR',
  'INVALID_ARGUMENT',
  'UNREGISTERED',
  'SENDER_ID_MISMATCH',
  'QUOTA_EXCEEDED',
  'UNAVAILABLE',
  'INTERNAL',
  'THIRD_PARTY_AUTH_ERROR',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
] as const

export type FcmErrorCode = (typeof fcmErrorCodes)[number]

const timing = {
  /** Between taking (or not taking) a message and what is done then. */
  latencyMs: z.number().int().min(0).max(600_000).optional(),
  /** For so many messages; for all of them if left out. */
  times: z.number().int().min(1).optional(),
}

/** Whether the device gets the message, whatever the sender is told. */
const accepted = z.boolean()

/** What happens to a message. Taking comes first, then the latency, then the answer or the lack of one. */
export const behaviourSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('accept'), ...timing }),
  z.strictObject({
    do: z.literal('refuse'),
    code: z.enum(fcmErrorCodes),
    /** The header as it is: seconds or a date. */
    retryAfter: z.string().optional(),
    /** Of INVALID_ARGUMENT: the field that a BadRequest detail names; no such detail if left out. */
    field: z.string().optional(),
    ...timing,
  }),
  /** Something between us and FCM answers, such as a proxy. */
  z.strictObject({ do: z.literal('answer'), status: z.number().int().min(200).max(599), body: z.string(), ...timing }),
  /** Cuts the connection, with whatever else is under way on it. */
  z.strictObject({ do: z.literal('drop'), accepted, ...timing }),
  /** Ends the HTTP/2 session: this message is the last that counts, or the first that does not. */
  z.strictObject({ do: z.literal('go-away'), accepted, errorCode: z.number().int().min(0).optional(), ...timing }),
  /** HTTP/2's way to say that a request was not looked at. */
  z.strictObject({ do: z.literal('refuse-stream'), ...timing }),
  z.strictObject({ do: z.literal('silence'), accepted, ...timing }),
])

export type Behaviour = z.infer<typeof behaviourSchema>
