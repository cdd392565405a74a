/** Whose fault it is decides who has to act. */
export type Fault = 'device' | 'payload' | 'provider' | 'quota' | 'operator'

export interface FcmError {
  readonly fault: Fault
  /** The same message may pass later. */
  readonly retryable: boolean
  /** In the SDK, `messaging/…`. */
  readonly sdkCodes: readonly string[]
}

/**
 * What FCM says, and what follows from it. `device`: the token is dead and the device invalid. `payload`: this message
 * will never pass. `provider`: FCM is unwell; counts for the breaker. `quota`: everybody pauses. `operator`: nothing is
 * wrong with the message, somebody has to look at the project; what is retryable there waits behind the breaker.
 */
export const fcmErrors = {
  UNREGISTERED: { fault: 'device', retryable: false, sdkCodes: ['registration-token-not-registered'] },
  // Of a malformed token as well as of a malformed message: a dry run tells them apart.
  INVALID_ARGUMENT: { fault: 'payload', retryable: false, sdkCodes: ['invalid-argument', 'invalid-payload'] },
  PAYLOAD_TOO_LARGE: { fault: 'payload', retryable: false, sdkCodes: ['payload-size-limit-exceeded'] },
  SENDER_ID_MISMATCH: { fault: 'operator', retryable: false, sdkCodes: ['mismatched-credential'] },
  THIRD_PARTY_AUTH_ERROR: { fault: 'operator', retryable: false, sdkCodes: ['third-party-auth-error'] },
  QUOTA_EXCEEDED: {
    fault: 'quota',
    retryable: true,
    sdkCodes: ['message-rate-exceeded', 'device-message-rate-exceeded'],
  },
  UNAVAILABLE: { fault: 'provider', retryable: true, sdkCodes: ['server-unavailable'] },
  INTERNAL: { fault: 'provider', retryable: true, sdkCodes: ['internal-error'] },
  // Nothing says that it would pass another time, or that it did not pass this time.
  UNSPECIFIED_ERROR: { fault: 'provider', retryable: false, sdkCodes: ['unknown-error'] },
  // Without an FcmError: said by Google's front end about us, before FCM has seen the message.
  UNAUTHENTICATED: { fault: 'operator', retryable: true, sdkCodes: ['authentication-error'] },
  PERMISSION_DENIED: { fault: 'operator', retryable: true, sdkCodes: [] },
  NOT_FOUND: { fault: 'operator', retryable: true, sdkCodes: [] },
  UNEXPECTED_STATUS: { fault: 'provider', retryable: false, sdkCodes: [] },
} as const satisfies Record<string, FcmError>

export type FcmErrorCode = keyof typeof fcmErrors

export const fcmErrorCodes = Object.keys(fcmErrors) as FcmErrorCode[]

/** For answers without an FcmError. */
const codesByStatus: Readonly<Record<number, FcmErrorCode>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'QUOTA_EXCEEDED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

export const errorOfStatus = (status: number): FcmErrorCode => codesByStatus[status] ?? 'UNEXPECTED_STATUS'

/** Somebody on the way gave up on FCM, which may have taken the message all the same. */
export const mayHaveBeenTaken = (status: number): boolean => status === 408 || status === 502 || status === 504

export const isFcmErrorCode = (code: unknown): code is FcmErrorCode => typeof code === 'string' && code in fcmErrors

const codesOfSdk = new Map<string, FcmErrorCode>(
  fcmErrorCodes.flatMap((code) => fcmErrors[code].sdkCodes.map((sdkCode) => [`messaging/${sdkCode}`, code] as const)),
)

export const errorOfSdk = (sdkCode: string): FcmErrorCode | undefined => codesOfSdk.get(sdkCode)
