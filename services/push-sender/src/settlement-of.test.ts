import { describe, expect, it } from 'vitest'
import type { SendResult } from './provider.ts'
import { type Attempted, settlementOf } from './settlement-of.ts'

const key = { notificationId: 'n', channel: 'PUSH', targetId: 'phone' } as const
const rules = { delaysMs: [1_000, 2_000, 4_000], random: () => 0 }

const after = (result: SendResult, attempted: Partial<Attempted> = {}, random = 0) =>
  settlementOf({ key, attempt: 1, kind: 'promotional', address: 't', ...attempted }, result, {
    ...rules,
    random: () => random,
  })

const unavailable: SendResult = { kind: 'refused', code: 'UNAVAILABLE', retryable: true, latencyMs: 5 }

describe('settlementOf', () => {
  it('takes what the provider accepted for SUCCESS', () => {
    expect(after({ kind: 'accepted', latencyMs: 12.4, providerId: 'id' })).toMatchObject({
      kind: 'settled',
      settlement: { ...key, status: 'SUCCESS', code: null, latencyMs: 12, providerId: 'id', deadToken: null },
    })
  })

  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, null],
    [9, null],
  ])('retries attempt %i after %s ms, if it may pass', (attempt, retryInMs) => {
    expect(after(unavailable, { attempt })).toMatchObject({
      settlement: { status: 'FAIL', code: 'UNAVAILABLE', retryable: true, retryInMs },
    })
  })

  it('spreads retries, and comes no sooner than the provider asked', () => {
    expect(after(unavailable, {}, 1)).toMatchObject({ settlement: { retryInMs: 1_200 } })
    expect(after({ ...unavailable, retryAfterMs: 60_000 })).toMatchObject({ settlement: { retryInMs: 60_000 } })
  })

  it('is done with what will not change, and names a token that is dead', () => {
    const refusal = { kind: 'refused', code: 'UNREGISTERED', retryable: false, latencyMs: 1 } as const
    expect(after({ ...refusal, invalidTarget: true })).toMatchObject({
      settlement: { status: 'FAIL', retryable: false, retryInMs: null, deadToken: 't' },
    })
    expect(after(refusal)).toMatchObject({ settlement: { deadToken: null } })
  })

  it('never repeats a promotional one whose outcome is unknown, and repeats a transactional one', () => {
    const unknown: SendResult = { kind: 'unknown', code: 'DEADLINE_EXCEEDED', latencyMs: 1 }
    expect(after(unknown)).toMatchObject({
      settlement: { status: 'FAIL', code: 'UNKNOWN_OUTCOME', retryable: false, retryInMs: null },
    })
    expect(after(unknown, { kind: 'transactional' })).toMatchObject({
      settlement: { status: 'FAIL', code: 'UNKNOWN_OUTCOME', retryable: true, retryInMs: 1_000 },
    })
  })

  it('takes the attempt back of what was not taken', () => {
    expect(after({ kind: 'not-taken', code: 'GOAWAY', latencyMs: 1 })).toEqual({
      kind: 'given-back',
      row: { ...key, code: 'GOAWAY', retryInMs: 1_000 },
    })
    expect(after({ kind: 'held-back', code: 'FCM_PAUSED', retryAfterMs: 60_000 })).toEqual({
      kind: 'given-back',
      row: { ...key, code: 'FCM_PAUSED', retryInMs: 60_000 },
    })
  })
})
