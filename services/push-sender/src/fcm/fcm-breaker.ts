import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel'
import type { SendResult } from '../provider.ts'
import type { FcmConfig } from './config.ts'
import { fcmErrors, isFcmErrorCode } from './fcm-errors.ts'

export interface FcmBreaker {
  record(result: SendResult): void
  /** A connection broke, however many messages were under way on it. */
  connectionLost(): void
  /** How long nothing may be sent; 0 when something may. */
  openForMs(): number
  /** How many of those wanted may be sent now: all, none, or the one that finds out whether FCM is back. */
  allow(wanted: number): { allowed: number; retryAfterMs: number }
}

export interface FcmBreakerOptions {
  config: Pick<FcmConfig, 'FCM_BREAKER_FAILURES' | 'FCM_BREAKER_RESET_MS'>
  onChange(state: BreakerState): void
}

export const breakerStates = ['open', 'closed'] as const

export type BreakerState = (typeof breakerStates)[number]

class FcmDown extends Error {}

/** For an FCM that is down: messages wait in the ledger, where waiting costs them no attempt. */
export const createFcmBreaker = ({ config, onChange }: FcmBreakerOptions): FcmBreaker => {
  const resetMs = config.FCM_BREAKER_RESET_MS
  const policy = circuitBreaker(handleType(FcmDown), {
    halfOpenAfter: resetMs,
    breaker: new ConsecutiveBreaker(config.FCM_BREAKER_FAILURES),
  })
  let openUntil = 0
  let probeAgainAt = 0
  const openForMs = (): number => Math.max(0, openUntil - Date.now())
  policy.onBreak(() => {
    openUntil = Date.now() + resetMs
    probeAgainAt = 0
    onChange('open')
  })
  policy.onReset(() => {
    openUntil = 0
    onChange('closed')
  })
  let failing = false
  const tell = (verdict: Verdict): void => {
    if (verdict === 'neither') return
    // A success changes nothing unless there was a failure: the usual case costs nothing.
    if (verdict === 'up' && !failing && policy.state === CircuitState.Closed) return
    failing = verdict === 'down'
    const told = policy.execute(() => {
      if (verdict === 'down') throw new FcmDown()
    })
    // What it throws is what it was told, or that it is open already.
    told.catch(() => {})
  }
  return {
    record: (result) => tell(verdictOn(result)),
    connectionLost: () => tell('down'),
    openForMs,
    allow: (wanted) => {
      if (policy.state === CircuitState.Closed) return { allowed: wanted, retryAfterMs: 0 }
      if (openForMs() > 0) return { allowed: 0, retryAfterMs: openForMs() }
      // Whoever was allowed one may have had nothing to send after all: then somebody else may, later.
      const allowed = Date.now() < probeAgainAt ? 0 : Math.min(1, wanted)
      if (allowed > 0) probeAgainAt = Date.now() + resetMs
      return { allowed, retryAfterMs: Math.min(resetMs, askAgainMs) }
    },
  }
}

const askAgainMs = 100

type Verdict = 'up' | 'down' | 'neither'

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
