import { describe, expect, it } from 'vitest'
import { checkRequest } from './check-message.ts'

const token = 'device-token-1'

const answerTo = (message: object, rest: object = {}) => {
  const checked = checkRequest(JSON.stringify({ message, ...rest }))
  return checked.kind === 'message' ? 'taken' : { status: checked.answer.status, ...JSON.parse(checked.answer.body) }
}

const fields = (answer: ReturnType<typeof answerTo>): unknown =>
  answer === 'taken'
    ? answer
    : answer.error.details?.flatMap((detail: { fieldViolations?: object[] }) => detail.fieldViolations ?? [])

describe('the simulated FCM', () => {
  it('takes an alert for either platform and a data message', () => {
    const alert = { android: { ttl: '86400s', priority: 'high', collapse_key: 'k', notification: { title: 't' } } }
    const background = { headers: { 'apns-push-type': 'background', 'apns-priority': '5' }, payload: { aps: {} } }
    expect(answerTo({ token, data: { a: 'b' } })).toBe('taken')
    expect(answerTo({ token, ...alert })).toBe('taken')
    expect(answerTo({ token, apns: background })).toBe('taken')
  })

  it('refuses a misspelt field and says where, without having looked at the message', () => {
    const answer = answerTo({ token, android: { collapseKey: 'k' } })
    expect(answer).toMatchObject({ status: 400, error: { code: 400, status: 'INVALID_ARGUMENT' } })
    expect(fields(answer)).toEqual([
      {
        field: 'message.android',
        description: expect.stringContaining(`Unknown name "collapseKey" at 'message.android'`),
      },
    ])
    expect(JSON.stringify(answer)).not.toContain('FcmError')
  })

  it.each([
    ['a number among the data', { data: { price: 5 } }, 'message.data.price'],
    ['a reserved data key', { data: { from: 'x' } }, 'message.data'],
    ['a data key of Google', { data: { 'google.x': 'x' } }, 'message.data'],
    ['a TTL over four weeks', { android: { ttl: '2419201s' } }, 'message.android.ttl'],
    ['a TTL that is no duration', { android: { ttl: '60' } }, 'message.android.ttl'],
    ['a priority there is not', { android: { priority: 'urgent' } }, 'message.android.priority'],
    ['more than 4 KB', { data: { text: 'x'.repeat(4_093) } }, 'message.android'],
  ])('refuses %s by the name of its field', (_, message, field) => {
    expect(fields(answerTo({ token, ...message }))).toMatchObject([{ field }])
  })

  it.each([
    ['a background push of high priority', { 'apns-push-type': 'background', 'apns-priority': '10' }, 'BadPriority'],
    ['a collapse id of over 64 bytes', { 'apns-collapse-id': 'x'.repeat(65) }, 'BadCollapseId'],
  ])('refuses %s with the reason of APNs', (_, headers, reason) => {
    expect(JSON.stringify(answerTo({ token, apns: { headers } }))).toContain(`"reason":"${reason}"`)
  })

  it('names no field for a token that is none, as FCM does not', () => {
    expect(answerTo({ token: 'no token!', data: {} })).toMatchObject({
      status: 400,
      error: { details: [{ errorCode: 'INVALID_ARGUMENT' }] },
    })
  })

  it('refuses a message to nobody and what is no JSON', () => {
    expect(fields(answerTo({ data: {} }))).toMatchObject([{ field: 'message' }])
    expect(checkRequest('{').kind).toBe('refused')
  })

  it('tells a dry run from a message', () => {
    expect(checkRequest(JSON.stringify({ validate_only: true, message: { token } }))).toMatchObject({
      kind: 'message',
      validateOnly: true,
    })
  })
})
