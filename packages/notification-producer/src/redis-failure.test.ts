import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { ReplyError } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { toRedisFailure } from './redis-failure.ts'

describe('toRedisFailure', () => {
  it.each(['LOADING', 'READONLY', 'OOM', 'MISCONF', 'CLUSTERDOWN', 'MASTERDOWN', 'NOAUTH', 'NOPERM', 'BUSY', 'ERR'])(
    'takes %s for a state of Redis that may pass',
    (code) => {
      const failure = toRedisFailure(new ReplyError(`${code} whatever it says`))
      expect(failure).toBeInstanceOf(TransientError)
      expect(failure).toMatchObject({ code: 'REDIS_REFUSED', dependency: 'redis' })
    },
  )

  it('takes a lost connection or a timeout for a failure that may pass', () => {
    for (const error of [new Error('Command timed out'), new Error('Connection is closed.'), 'odd']) {
      expect(toRedisFailure(error)).toMatchObject({ code: 'REDIS_UNAVAILABLE', dependency: 'redis', cause: error })
    }
  })

  it('takes a key that holds something else for a failure that will not pass', () => {
    expect(toRedisFailure(new ReplyError('WRONGTYPE Operation against a key'))).toBeInstanceOf(PermanentError)
  })

  it('passes on a failure of ours', () => {
    const failure = new TransientError('GATE_REDIS_UNSAFE', 'x')
    expect(toRedisFailure(failure)).toBe(failure)
  })
})
