import { describe, expect, it } from 'vitest'
import { fcmErrorCodes, fcmErrors } from './fcm-errors.ts'
import { readAnswer } from './read-answer.ts'

const now = Date.UTC(2026, 0, 15)
const type = (name: string) => `type.googleapis.com/${name}`
const fcmError = (errorCode: string) => ({ '@type': type('google.firebase.fcm.v1.FcmError'), errorCode })
const badRequest = (field: string) => ({ '@type': type('google.rpc.BadRequest'), fieldViolations: [{ field }] })

const read = (status: number, details: object[] | string, retryAfter?: string) => {
  const body = typeof details === 'string' ? details : JSON.stringify({ error: { code: status, details } })
  return readAnswer({ status, body, retryAfter }, 5, now)
}

describe('an answer of FCM', () => {
  it('that accepts names the message, or does not: it is accepted all the same', () => {
    expect(read(200, '{"name":"projects/p/messages/1"}')).toEqual({
      kind: 'accepted',
      latencyMs: 5,
      providerId: 'projects/p/messages/1',
    })
    for (const body of ['', '{"na', 'null', '[]']) expect(read(200, body)).toMatchObject({ providerId: null })
  })

  it('is known by the code in its details, not by its status', () => {
    expect(read(404, [fcmError('UNREGISTERED')])).toMatchObject({ code: 'UNREGISTERED', invalidTarget: true })
    expect(read(404, [])).toMatchObject({ code: 'NOT_FOUND', retryable: true })
    expect(read(404, [])).not.toHaveProperty('invalidTarget')
    expect(read(401, [fcmError('THIRD_PARTY_AUTH_ERROR')])).toMatchObject({ retryable: false })
    expect(read(401, [])).toMatchObject({ code: 'UNAUTHENTICATED', retryable: true })
  })

  it('with a code that we do not know yet is known by its status', () => {
    expect(read(503, [fcmError('NEW_IN_2030')])).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    expect(read(400, [fcmError('NEW_IN_2030')])).toMatchObject({ code: 'INVALID_ARGUMENT', retryable: false })
  })

  it('invalidates a device for its token only', () => {
    const argument = fcmError('INVALID_ARGUMENT')
    expect(read(400, [argument, badRequest('message.token')])).toMatchObject({ invalidTarget: true })
    for (const details of [[argument, badRequest('message.data')], [badRequest('message.token')], []]) {
      expect(read(400, details)).not.toHaveProperty('invalidTarget')
      expect(read(400, details)).not.toHaveProperty('tokenInDoubt')
    }
    expect(read(400, [argument])).toMatchObject({ tokenInDoubt: true })
  })

  it.each([502, 504, 408])('of somebody on the way with status %i says nothing about the message', (status) => {
    expect(read(status, '<html>')).toEqual({ kind: 'unknown', code: 'GATEWAY_FAILED', latencyMs: 5 })
  })

  it.each([
    ['120', 120_000],
    ['Thu, 15 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 14 Jan 2026 00:00:00 GMT', 0],
  ])('asks for patience: Retry-After %s', (header, retryAfterMs) => {
    expect(read(503, [fcmError('UNAVAILABLE')], header)).toMatchObject({ retryAfterMs })
  })

  it('may ask for it in a way that nobody understands', () => {
    expect(read(503, [fcmError('UNAVAILABLE')], 'soon')).not.toHaveProperty('retryAfterMs')
  })

  it.each(['null', '{"error":null}', '{"error":{"details":[null,1,"x"]}}', '{"error":{"details":{}}}'])(
    'may be anything: %s',
    (body) => {
      expect(read(500, body)).toMatchObject({ code: 'INTERNAL', retryable: true })
    },
  )
})

describe('the table of errors', () => {
  it('retries what the design says, and what is the fault of our own credentials', () => {
    expect(fcmErrorCodes.filter((code) => fcmErrors[code].retryable)).toEqual([
      'QUOTA_EXCEEDED',
      'UNAVAILABLE',
      'INTERNAL',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'NOT_FOUND',
    ])
  })

  it('gives no code of the SDK two meanings', () => {
    const codes = fcmErrorCodes.flatMap((code) => fcmErrors[code].sdkCodes)
    expect(new Set(codes).size).toBe(codes.length)
  })
})
