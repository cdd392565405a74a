import { describe, expect, it } from 'vitest'
import { DropbellError, PermanentError, TransientError } from '../../errors.ts'
import { decideFailure, type RetryPolicy, retryPolicy } from './decide-failure.ts'

const policy: RetryPolicy = { deadLetters: true, topicSuffix: '.dlq', maxRetries: 3, backoffMs: 1_000 }
const retry = { action: 'retry' }
const deadLetter = (kind: string) => ({ action: 'dead-letter', kind })

const busy = new TransientError('BUSY', 'busy')
const redisDown = new TransientError('REDIS_UNAVAILABLE', 'down', { dependency: 'redis' })
const bug = new TypeError('x is not a function')
const broken = new PermanentError('BROKEN', 'broken')

describe('decideFailure', () => {
  it.each([
    ['a transient error', busy, 'exhausted'],
    ['a dependency that is down', redisDown, 'dependency'],
    ['a bug', bug, 'exhausted'],
    ['an error of ours that does not say', new DropbellError('ODD', 'odd'), 'exhausted'],
    ['something that is no error', 'a text', 'exhausted'],
  ])('retries %s three times, then gives up', (_, error, kind) => {
    expect([1, 2, 3, 4, 5].map((attempt) => decideFailure(error, attempt, policy))).toEqual([
      retry,
      retry,
      retry,
      deadLetter(kind),
      deadLetter(kind),
    ])
  })

  it('gives up at once for a permanent error', () => {
    expect(decideFailure(broken, 1, policy)).toEqual(deadLetter('permanent'))
  })

  it('gives up after the first try when no retries are wanted', () => {
    expect(decideFailure(busy, 1, { ...policy, maxRetries: 0 })).toEqual(deadLetter('exhausted'))
  })

  it.each([busy, redisDown, bug, broken])('never gives up without dead letters: %s', (error) => {
    expect(decideFailure(error, 1_000_000, { ...policy, deadLetters: false })).toEqual(retry)
  })
})

describe('retryPolicy', () => {
  it('is what the configuration says', () => {
    const config = { DLQ_ENABLED: true, DLQ_TOPIC_SUFFIX: '.dlq', DLQ_MAX_RETRIES: 3, DLQ_RETRY_BACKOFF_MS: 1_000 }
    expect(retryPolicy(config)).toEqual(policy)
  })
})
