export interface TokenBucket {
  /** How many of those wanted there are, and after how long there will be more. */
  take(wanted: number): { granted: number; retryAfterMs: number }
}

/** Of one process, by a monotonic clock; for all of them there is `fcm-budget.ts`. */
export const createTokenBucket = (
  perSecond: number,
  now: () => number = performance.now.bind(performance),
): TokenBucket => {
  const burst = burstOf(perSecond)
  let tokens = burst
  let at = now()
  return {
    take: (wanted) => {
      const time = now()
      tokens = Math.min(burst, tokens + ((time - at) * perSecond) / 1_000)
      at = time
      const granted = Math.min(wanted, Math.floor(tokens))
      tokens -= granted
      const missing = Math.min(burst, wanted - granted)
      return { granted, retryAfterMs: missing === 0 ? 0 : Math.ceil(((missing - tokens) * 1_000) / perSecond) }
    },
  }
}

/** What may come at once after a silence: little, or the limit of a second would be a limit of two. */
export const burstOf = (perSecond: number): number => Math.max(1, Math.floor(perSecond / 10))
