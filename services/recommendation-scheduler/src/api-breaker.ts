import { sleep } from '@dropbell/shared/kafka/consumer/sleep'
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel'
import type { RecommendationConfig } from './config.ts'

export const heldBack = Symbol('held back')

export interface ApiBreaker<Result> {
  /** What `attempt` says, or that the API is down for so long that asking it is pointless. Rejects when it is called off. */
  run(attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result | typeof heldBack>
}

export interface ApiBreakerOptions<Result> {
  config: Pick<RecommendationConfig, `RECOMMENDATION_API_${'BREAKER_FAILURES' | 'BREAKER_RESET_MS' | 'PATIENCE_MS'}`>
  isDown(result: Result): boolean
  onChange(state: 'open' | 'closed'): void
}

/**
 * For an API that is down: asked by one at a time until it is back. Whoever wants to ask waits meanwhile, so that a short
 * outage costs no user anything; after `RECOMMENDATION_API_PATIENCE_MS` of it they are turned away at once, so that a long one
 * does not hold the batch up.
 */
export const createApiBreaker = <Result>(options: ApiBreakerOptions<Result>): ApiBreaker<Result> => {
  const { config, isDown, onChange } = options
  const resetMs = config.RECOMMENDATION_API_BREAKER_RESET_MS
  const policy = circuitBreaker(
    handleWhenResult((result) => isDown(result as Result)),
    { halfOpenAfter: resetMs, breaker: new ConsecutiveBreaker(config.RECOMMENDATION_API_BREAKER_FAILURES) },
  )
  let downSince: number | undefined
  policy.onBreak(() => {
    if (downSince === undefined) onChange('open')
    downSince ??= performance.now()
  })
  policy.onReset(() => {
    downSince = undefined
    onChange('closed')
  })

  return {
    run: async (attempt, signal) => {
      for (;;) {
        signal.throwIfAborted()
        try {
          return await policy.execute(attempt)
        } catch (error) {
          if (!(error instanceof BrokenCircuitError)) throw error
        }
        if (performance.now() - (downSince ?? 0) >= config.RECOMMENDATION_API_PATIENCE_MS) return heldBack
        await sleep(resetMs, signal)
      }
    },
  }
}
