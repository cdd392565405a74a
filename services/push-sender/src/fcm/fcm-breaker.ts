import type { SendResult } from '../provider.ts'
import { type BreakerState, createProviderBreaker, type ProviderBreaker, type Verdict } from '../provider-breaker.ts'
import type { FcmConfig } from './config.ts'
import { fcmErrors, isFcmErrorCode } from './fcm-errors.ts'

export interface FcmBreaker extends Pick<ProviderBreaker, 'openForMs' | 'allow'> {
  record(result: SendResult): void
  /** A connection broke, however many messages were under way on it. */
  connectionLost(): void
}

export interface FcmBreakerOptions {
  config: Pick<FcmConfig, 'FCM_BREAKER_FAILURES' | 'FCM_BREAKER_RESET_MS'>
  onChange(state: BreakerState): void
}

export const createFcmBreaker = ({ config, onChange }: FcmBreakerOptions): FcmBreaker => {
  const { FCM_BREAKER_FAILURES: failures, FCM_BREAKER_RESET_MS: resetMs } = config
  const { tell, openForMs, allow } = createProviderBreaker({ failures, resetMs, onChange })
  return { record: (result) => tell(verdictOn(result)), connectionLost: () => tell('down'), openForMs, allow }
}

/**
 * A refusal of one message is a sign of life. A pause, or our own haste, says nothing about FCM; nor does a message that
 * went down with its connection, which counts by itself.
 */
const verdictOn = (result: SendResult): Verdict => {
  switch (result.kind) {
    case 'accepted':
      return 'up'
    case 'refused':
      return isFcmErrorCode(result.code) ? verdictOnError(result.code) : 'up'
    case 'not-taken':
      return ['CONNECTION_FAILED', 'NOT_SENT_IN_TIME', 'NO_ACCESS_TOKEN'].includes(result.code) ? 'down' : 'neither'
    case 'unknown':
      return ['ABORTED', 'CONNECTION_LOST'].includes(result.code) ? 'neither' : 'down'
    case 'held-back':
      return 'neither'
  }
}

const verdictOnError = (code: keyof typeof fcmErrors): Verdict => {
  const { fault, retryable } = fcmErrors[code]
  if (fault === 'quota') return 'neither'
  return fault === 'provider' || (fault === 'operator' && retryable) ? 'down' : 'up'
}
