import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from 'cockatiel'

/** What a result says about the provider: it works, it does not, or nothing at all. */
export type Verdict = 'up' | 'down' | 'neither'

export interface ProviderBreaker {
  tell(verdict: Verdict): void
  /** How long nothing may be sent; 0 when something may. */
  openForMs(): number
  /** How many of those wanted may be sent now: all, none, or the one that finds out whether the provider is back. */
  allow(wanted: number): { allowed: number; retryAfterMs: number }
}

export interface ProviderBreakerOptions {
  /** In a row, after which it opens. */
  failures: number
  /** How long it stays open before one message is tried. */
  resetMs: number
  onChange(state: BreakerState): void
}

export const breakerStates = ['open', 'closed'] as const

export type BreakerState = (typeof breakerStates)[number]

class ProviderDown extends Error {}

const askAgainMs = 100

/** For a provider that is down: messages wait in the ledger, where waiting costs them no attempt. */
export const createProviderBreaker = ({ failures, resetMs, onChange }: ProviderBreakerOptions): ProviderBreaker => {
  const policy = circuitBreaker(handleType(ProviderDown), {
    halfOpenAfter: resetMs,
    breaker: new ConsecutiveBreaker(failures),
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
  return {
    tell: (verdict) => {
      if (verdict === 'neither') return
      // A success changes nothing unless there was a failure: the usual case costs nothing.
      if (verdict === 'up' && !failing && policy.state === CircuitState.Closed) return
      failing = verdict === 'down'
      const told = policy.execute(() => {
        if (verdict === 'down') throw new ProviderDown()
      })
      // What it throws is what it was told, or that it is open already.
      told.catch(() => {})
    },
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
