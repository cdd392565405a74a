import { describe, expect, it } from 'vitest'
import { TransientError } from './errors.ts'
import { createProbe } from './probe.ts'

const engine = { code: 'ENGINE_UNAVAILABLE', name: 'The engine' }

describe('createProbe', () => {
  it('is content with any answer', async () => {
    await expect(createProbe({ ...engine, request: async () => 'PONG' })()).resolves.toBeUndefined()
  })

  it('turns any failure into a TransientError with the code of the dependency', async () => {
    const cause = new Error('connect ECONNREFUSED')
    const error = await createProbe({ ...engine, request: () => Promise.reject(cause) })().catch((e: unknown) => e)
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The engine is not available: connect ECONNREFUSED',
      cause,
    })
  })

  it('gives up after its time', async () => {
    const probe = createProbe({ ...engine, timeoutMs: 20, request: () => new Promise(() => {}) })
    await expect(probe()).rejects.toThrow('The engine is not available: no answer within 20 ms')
  })

  it('names the code of an error without message', async () => {
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    await expect(createProbe({ ...engine, request: () => Promise.reject(cause) })()).rejects.toThrow(/: ECONNREFUSED$/)
  })

  it('keeps credentials out of its message', async () => {
    const request = () => Promise.reject(new Error('cannot reach engine://me:hunter2@host'))
    await expect(createProbe({ ...engine, request })()).rejects.toThrow('engine://[redacted]@host')
  })
})
