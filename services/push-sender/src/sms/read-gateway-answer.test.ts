import { describe, expect, it } from 'vitest'
import { isOperatorFault, readGatewayAnswer, saysGatewayIsDown } from './read-gateway-answer.ts'

const read = (status: number, rest: { body?: string; retryAfter?: string } = {}) =>
  readGatewayAnswer({ status, body: '', ...rest }, 12, 0)

describe('an answer of the SMS gateway', () => {
  it.each([
    ['{"id":"m-1"}', 'm-1'],
    ['{"messageId":42}', '42'],
    ['{"data":{"id":"m-1"}}', null],
    ['OK', null],
    ['null', null],
    ['', null],
  ])('accepts with %j', (body, providerId) => {
    expect(read(202, { body })).toEqual({ kind: 'accepted', latencyMs: 12, providerId })
  })

  it.each([400, 403, 410, 413, 422])('%i is final', (status) => {
    expect(read(status)).toEqual({ kind: 'refused', code: `HTTP_${status}`, retryable: false, latencyMs: 12 })
  })

  it.each([425, 429, 500, 501, 503, 599])('%i may pass', (status) => {
    expect(read(status)).toEqual({ kind: 'refused', code: `HTTP_${status}`, retryable: true, latencyMs: 12 })
  })

  it.each([301, 307, 401, 404, 405])('%i is about us: the message waits, the operator hears of it', (status) => {
    expect(read(status)).toMatchObject({ kind: 'refused', retryable: true })
    expect([isOperatorFault(`HTTP_${status}`), saysGatewayIsDown(`HTTP_${status}`)]).toEqual([true, true])
  })

  it.each([408, 502, 504])('%i comes from somebody on the way: nobody knows', (status) => {
    expect(read(status)).toEqual({ kind: 'unknown', code: 'GATEWAY_FAILED', latencyMs: 12 })
  })

  it('honours Retry-After', () => {
    expect(read(429, { retryAfter: '7' })).toMatchObject({ retryAfterMs: 7_000 })
    expect(read(503, { retryAfter: 'Thu, 01 Jan 1970 00:00:03 GMT' })).toMatchObject({ retryAfterMs: 3_000 })
  })
})
