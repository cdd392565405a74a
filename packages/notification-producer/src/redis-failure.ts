import { DropbellError, PermanentError, TransientError } from '@dropbell/shared/errors'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import { ReplyError } from 'ioredis'

export const redisDependency = 'redis'

/**
 * Whatever Redis says but one thing is about its own state: LOADING, READONLY, OOM, MISCONF, CLUSTERDOWN, NOAUTH … none
 * of it is the fault of the record in hand. A key that somebody else has written stays as it is.
 */
export const toRedisFailure = (error: unknown): DropbellError => {
  if (error instanceof DropbellError) return error
  const why = redactCredentials(error instanceof Error ? error.message : String(error))
  if (!(error instanceof ReplyError)) {
    const message = `Redis is not available: ${why}`
    return new TransientError('REDIS_UNAVAILABLE', message, { cause: error, dependency: redisDependency })
  }
  return replyCode(error as Error) === 'WRONGTYPE'
    ? new PermanentError('GATE_KEY_SPOILT', `A key of the gate holds something else: ${why}`, { cause: error })
    : new TransientError('REDIS_REFUSED', `Redis refused: ${why}`, { cause: error, dependency: redisDependency })
}

/** The protocol's error code: the first word of an error reply. */
const replyCode = (reply: { message: string }): string => reply.message.split(' ', 1)[0] ?? ''
