import type { Recommendation } from '@dropbell/notification-producer/compose-recommendation'
import { sleep } from '@dropbell/shared/kafka/consumer/sleep'
import type { Logger } from '@dropbell/shared/log'
import pLimit from 'p-limit'
import { errors, Pool } from 'undici'
import { type ApiBreaker, createApiBreaker, heldBack } from './api-breaker.ts'
import type { RecommendationConfig } from './config.ts'
import { parseRecommendations } from './parse-recommendations.ts'
import type { ApiFailure, SchedulerMetrics } from './scheduler-metrics.ts'

export type ApiAnswer =
  | { readonly kind: 'recommended'; readonly recommendation: Recommendation }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly reason: ApiFailure }

/** At most as many at once as configured; the rest waits. Rejects only when it is called off. */
export type AskRecommendations = (userId: string, signal: AbortSignal) => Promise<ApiAnswer>

export interface RecommendationApi {
  /** For a run, which finds out for itself whether the API is down: its patience begins when it does. */
  begin(): AskRecommendations
  close(): Promise<void>
}

export interface RecommendationApiOptions {
  config: RecommendationConfig
  metrics: Pick<SchedulerMetrics, 'apiSeconds' | 'breaker'>
  log: Logger
}

const mostBodyBytes = 64 * 1_024
const firstRetryMs = 100

/**
 * Of the recommendation API, which other people run. Asking twice changes nothing there, so whatever may pass is tried
 * again, a little later; a user about whom it says nothing we understand is not.
 */
export const createRecommendationApi = ({ config, metrics, log }: RecommendationApiOptions): RecommendationApi => {
  const { origin, pathname } = new URL(config.RECOMMENDATION_API_URL)
  const basePath = `${pathname.replace(/\/$/, '')}/api/v1/recommendations`
  const timeoutMs = config.RECOMMENDATION_API_TIMEOUT_MS
  const pool = new Pool(origin, {
    connections: config.RECOMMENDATION_API_CONCURRENCY,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    connect: { timeout: timeoutMs },
    maxResponseSize: mostBodyBytes,
  })
  const inTurn = pLimit(config.RECOMMENDATION_API_CONCURRENCY)
  const onChange = (state: 'open' | 'closed'): void => {
    metrics.breaker.inc({ state })
    log[state === 'open' ? 'warn' : 'info']({ outcome: state }, 'recommendation API: breaker changed')
  }

  const request = async (userId: string, signal: AbortSignal): Promise<ApiAnswer> => {
    const path = `${basePath}/${encodeURIComponent(userId)}?limit=${config.RECOMMENDATION_LIMIT}`
    const { statusCode, body } = await pool.request({
      ...{ path, method: 'GET', signal, headers: { accept: 'application/json' } },
      ...{ headersTimeout: 0, bodyTimeout: 0 }, // one limit for all of it, by the signal
    })
    if (statusCode === 200) return parseRecommendations(await body.text(), userId, config.RECOMMENDATION_LIMIT)
    await body.dump()
    return failed(statusCode >= 500 || statusCode === 429 || statusCode === 408 ? 'unavailable' : 'refused')
  }

  const attempt = async (userId: string, signal: AbortSignal): Promise<ApiAnswer> => {
    const stop = metrics.apiSeconds.startTimer()
    // Not AbortSignal.any: one of these is as old as the batch and would remember every request.
    const limit = new AbortController()
    const callOff = (): void => limit.abort(signal.reason)
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    signal.addEventListener('abort', callOff, { once: true })
    try {
      const answer = await request(userId, limit.signal)
      stop({ result: answer.kind === 'failed' ? answer.reason : 'ok' })
      return answer
    } catch (error) {
      signal.throwIfAborted()
      const reason = limit.signal.aborted || error instanceof errors.ConnectTimeoutError ? 'timeout' : failureOf(error)
      stop({ result: reason })
      log.debug({ err: error, outcome: reason }, 'recommendation API did not answer')
      return failed(reason)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', callOff)
    }
  }

  const askPatiently = async (
    breaker: ApiBreaker<ApiAnswer>,
    userId: string,
    signal: AbortSignal,
  ): Promise<ApiAnswer> => {
    for (let retry = 0; ; retry++) {
      const answer = await breaker.run(() => attempt(userId, signal), signal)
      if (answer === heldBack) return failed('held-back')
      if (!isDown(answer) || retry === config.RECOMMENDATION_API_RETRIES) return answer
      await sleep(firstRetryMs * 2 ** retry * (0.5 + Math.random()), signal)
    }
  }

  return {
    begin: () => {
      const breaker = createApiBreaker<ApiAnswer>({ config, isDown, onChange })
      return (userId, signal) => inTurn(() => askPatiently(breaker, userId, signal))
    },
    close: () => pool.destroy(),
  }
}

const failed = (reason: ApiFailure): ApiAnswer => ({ kind: 'failed', reason })

/** A refusal, or an answer that makes no sense, is a sign of life. */
const isDown = (answer: ApiAnswer): boolean =>
  answer.kind === 'failed' && (answer.reason === 'timeout' || answer.reason === 'unavailable')

const failureOf = (error: unknown): ApiFailure =>
  error instanceof errors.ResponseExceededMaxSizeError ? 'nonsense' : 'unavailable'
