import type { DlqConfig } from '../../config/dlq.ts'
import { PermanentError, TransientError } from '../../errors.ts'

export interface RetryPolicy {
  /** If not, nothing is ever given up: it is retried for ever. */
  deadLetters: boolean
  topicSuffix: string
  /** After the first try. */
  maxRetries: number
  backoffMs: number
}

export const retryPolicy = (config: DlqConfig): RetryPolicy => ({
  deadLetters: config.DLQ_ENABLED,
  topicSuffix: config.DLQ_TOPIC_SUFFIX,
  maxRetries: config.DLQ_MAX_RETRIES,
  backoffMs: config.DLQ_RETRY_BACKOFF_MS,
})

/** Why a record was given up, as the label of a metric: error codes are many, these are all there are. */
export const deadLetterKinds = ['decode', 'permanent', 'dependency', 'exhausted'] as const
export type DeadLetterKind = (typeof deadLetterKinds)[number]

export type Decision = { action: 'retry' } | { action: 'dead-letter'; kind: Exclude<DeadLetterKind, 'decode'> }

/**
 * What becomes of a record whose `attempt`th try has failed (the first is 1). An error that says neither to be
 * transient nor permanent is a bug; it may depend on circumstances, so it gets its retries too.
 */
export const decideFailure = (error: unknown, attempt: number, policy: RetryPolicy): Decision => {
  if (!policy.deadLetters) return { action: 'retry' }
  if (error instanceof PermanentError) return { action: 'dead-letter', kind: 'permanent' }
  if (attempt <= policy.maxRetries) return { action: 'retry' }
  return { action: 'dead-letter', kind: failedDependency(error) === undefined ? 'exhausted' : 'dependency' }
}

/** The dependency that is down, if it was one that failed and not the record. */
export const failedDependency = (error: unknown): string | undefined =>
  error instanceof TransientError ? error.dependency : undefined
