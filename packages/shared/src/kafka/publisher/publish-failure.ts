import { PermanentError, TransientError } from '../../errors.ts'
import { redactCredentials } from '../../redact-credentials.ts'

const tooLargeTypes = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']

/** kafkajs wraps the broker's answer in the error that ends its retries. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && (('type' in error && tooLargeTypes.includes(String(error.type))) || isTooLarge(error.cause))

/**
 * Almost everything may pass: brokers come back, topics get created, rights get granted. A record that is too large
 * stays too large.
 */
export const publishFailure = (cause: unknown): TransientError | PermanentError => {
  const why = redactCredentials(cause instanceof Error ? cause.message : String(cause))
  if (isTooLarge(cause)) {
    return new PermanentError('RECORD_TOO_LARGE', `The record is too large for its topic: ${why}`, { cause })
  }
  return new TransientError('PUBLISH_FAILED', `Records could not be published: ${why}`, { cause, dependency: 'kafka' })
}
