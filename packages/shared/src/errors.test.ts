import { describe, expect, it } from 'vitest'
import { DropbellError, PermanentError, TransientError } from './errors.ts'

describe('errors', () => {
  it('keep their code and the cause they were made from', () => {
    const cause = new Error('socket closed')
    const error = new PermanentError('BROKEN', 'it broke', { cause })
    expect(error).toMatchObject({ code: 'BROKEN', message: 'it broke', cause, name: 'PermanentError' })
    expect(error).toBeInstanceOf(DropbellError)
  })

  it('have no cause of their own when none was given', () => {
    expect('cause' in new TransientError('BUSY', 'busy')).toBe(false)
  })

  it('are told apart by class', () => {
    expect(new TransientError('BUSY', 'busy')).not.toBeInstanceOf(PermanentError)
    expect(new PermanentError('BROKEN', 'broken')).not.toBeInstanceOf(TransientError)
  })

  it('carry how long the other side asked to wait', () => {
    expect(new TransientError('BUSY', 'busy', { retryAfterMs: 1_500 }).retryAfterMs).toBe(1_500)
    expect(new TransientError('BUSY', 'busy').retryAfterMs).toBeUndefined()
  })

  it('name the dependency that failed, if it was one', () => {
    expect(new TransientError('BUSY', 'busy', { dependency: 'redis' }).dependency).toBe('redis')
    expect(new TransientError('BUSY', 'busy').dependency).toBeUndefined()
  })
})
