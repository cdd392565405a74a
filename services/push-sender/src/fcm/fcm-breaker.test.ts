import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SendResult } from '../provider.ts'
import { createFcmBreaker, type FcmBreaker } from './fcm-breaker.ts'

const accepted: SendResult = { kind: 'accepted', latencyMs: 1, providerId: null }
const refused = (code: string): SendResult => ({ kind: 'refused', code, retryable: true, latencyMs: 1 })
const unknown = (code: string): SendResult => ({ kind: 'unknown', code, latencyMs: 1 })
const notTaken = (code: string): SendResult => ({ kind: 'not-taken', code, latencyMs: 1 })

let breaker: FcmBreaker
let changes: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  changes = []
  const config = { FCM_BREAKER_FAILURES: 3, FCM_BREAKER_RESET_MS: 5_000 }
  breaker = createFcmBreaker({ config, onChange: (state) => changes.push(state) })
})
afterEach(() => {
  vi.useRealTimers()
})

const record = async (...results: SendResult[]): Promise<void> => {
  for (const result of results) {
    breaker.record(result)
    await new Promise(setImmediate)
  }
}
const down = refused('UNAVAILABLE')

describe('the breaker', () => {
  it('opens after so many failures in a row, for a while', async () => {
    await record(down, down, accepted, down, down)
    expect(breaker.allow(10)).toEqual({ allowed: 10, retryAfterMs: 0 })
    await record(down)
    expect(breaker.allow(10)).toEqual({ allowed: 0, retryAfterMs: 5_000 })
    expect(changes).toEqual(['open'])
  })

  it('lets one message find out, and one more if that never came back', async () => {
    await record(down, down, down)
    vi.advanceTimersByTime(5_000)
    expect(breaker.allow(10).allowed).toBe(1)
    expect(breaker.allow(10).allowed).toBe(0)
    vi.advanceTimersByTime(5_000)
    expect(breaker.allow(10).allowed).toBe(1)
  })

  it('closes when that one passed, also if a late success of before came while it was open', async () => {
    await record(down, down, down, accepted)
    expect(breaker.allow(10).allowed).toBe(0)
    vi.advanceTimersByTime(5_000)
    expect(breaker.allow(10).allowed).toBe(1)
    await record(accepted)
    expect(breaker.allow(10).allowed).toBe(10)
    expect(changes).toEqual(['open', 'closed'])
  })

  it('stays open when that one failed', async () => {
    await record(down, down, down)
    vi.advanceTimersByTime(5_000)
    await record(down)
    expect(breaker.allow(10)).toEqual({ allowed: 0, retryAfterMs: 5_000 })
  })

  it.each([
    ['an FCM that is unwell', refused('INTERNAL')],
    ['credentials that it does not take', refused('UNAUTHENTICATED')],
    ['nobody there', notTaken('CONNECTION_FAILED')],
    ['no access token', notTaken('NO_ACCESS_TOKEN')],
    ['no answer', unknown('DEADLINE_EXCEEDED')],
    ['a gateway that fails', unknown('GATEWAY_FAILED')],
  ])('counts %s', async (_, result) => {
    await record(result, result, result)
    expect(breaker.openForMs()).toBe(5_000)
  })

  it.each([
    ['a dead token', refused('UNREGISTERED')],
    ['a bad payload', refused('INVALID_ARGUMENT')],
    ['a 429, which is a pause', refused('QUOTA_EXCEEDED')],
    ['what we called off', unknown('ABORTED')],
    ['messages that went down with one connection', unknown('CONNECTION_LOST')],
    ['a polite GOAWAY', notTaken('GOAWAY')],
  ])('does not count %s', async (_, result) => {
    await record(result, result, result, result)
    expect(breaker.openForMs()).toBe(0)
  })

  it('counts a lost connection once', async () => {
    for (let lost = 0; lost < 3; lost++) breaker.connectionLost()
    await new Promise(setImmediate)
    expect(breaker.openForMs()).toBe(5_000)
  })
})
