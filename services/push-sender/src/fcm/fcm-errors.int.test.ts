import type { Behaviour } from '@dropbell/local-stack/fcm-simulator/control-client'
import { afterEach, describe, expect, it } from 'vitest'
import type { SendResult } from '../provider.ts'
import { sampleOutgoing } from '../testing/sample-outgoing.ts'
import { type OpenFcm, type OpenFcmOptions, openFcm } from './testing/open-fcm.ts'

const opened: OpenFcm[] = []
const open = (options?: OpenFcmOptions): OpenFcm => {
  const fcm = openFcm(options)
  opened.push(fcm)
  return fcm
}
afterEach(async () => {
  for (const fcm of opened.splice(0)) await fcm.close()
})

const inTime = { deadlineMs: 5_000 }

const resultOf = async ({ provider, fcm }: OpenFcm, behaviour: Behaviour): Promise<SendResult> => {
  const outgoing = sampleOutgoing()
  await fcm.script(behaviour, outgoing.target.address)
  const [result] = await provider.send([outgoing], inTime)
  const { requests } = await fcm.countsOf(outgoing.target.address)
  expect(requests).toBe(1)
  return result as SendResult
}

const refused = (code: string, retryable: boolean, rest: object = {}) => ({
  kind: 'refused',
  code,
  retryable,
  latencyMs: expect.any(Number),
  ...rest,
})

describe('what FCM says, over http2', () => {
  it.each([
    [{ do: 'refuse', code: 'INTERNAL' }, refused('INTERNAL', true)],
    [{ do: 'refuse', code: 'UNAVAILABLE' }, refused('UNAVAILABLE', true)],
    [{ do: 'refuse', code: 'UNAVAILABLE', retryAfter: '7' }, refused('UNAVAILABLE', true, { retryAfterMs: 7_000 })],
    [{ do: 'refuse', code: 'QUOTA_EXCEEDED' }, refused('QUOTA_EXCEEDED', true)],
    [{ do: 'refuse', code: 'UNREGISTERED' }, refused('UNREGISTERED', false, { invalidTarget: true })],
    [
      { do: 'refuse', code: 'INVALID_ARGUMENT', field: 'message.token' },
      refused('INVALID_ARGUMENT', false, { invalidTarget: true }),
    ],
    [{ do: 'refuse', code: 'INVALID_ARGUMENT', field: 'message.data' }, refused('INVALID_ARGUMENT', false)],
    [{ do: 'refuse', code: 'SENDER_ID_MISMATCH' }, refused('SENDER_ID_MISMATCH', false)],
    [{ do: 'refuse', code: 'THIRD_PARTY_AUTH_ERROR' }, refused('THIRD_PARTY_AUTH_ERROR', false)],
    [{ do: 'refuse', code: 'UNAUTHENTICATED' }, refused('UNAUTHENTICATED', true)],
    [{ do: 'refuse', code: 'PERMISSION_DENIED' }, refused('PERMISSION_DENIED', true)],
    [{ do: 'refuse', code: 'UNSPECIFIED_ERROR' }, refused('UNSPECIFIED_ERROR', false)],
    // A page that is not there is not a device that is not there.
    [{ do: 'answer', status: 404, body: '<html>' }, refused('NOT_FOUND', true)],
    [{ do: 'answer', status: 503, body: '' }, refused('UNAVAILABLE', true)],
    [
      { do: 'answer', status: 502, body: '<html>' },
      { kind: 'unknown', code: 'GATEWAY_FAILED', latencyMs: expect.any(Number) },
    ],
    [{ do: 'answer', status: 418, body: '' }, refused('UNEXPECTED_STATUS', false)],
  ] satisfies [Behaviour, object][])('%o', async (behaviour, expected) => {
    expect(await resultOf(open(), behaviour)).toEqual(expected)
  })

  it('finds out by a dry run whether INVALID_ARGUMENT meant the token, when FCM does not say', async () => {
    const world = open()
    const malformed = sampleOutgoing({ target: { address: 'not a token' } })
    expect(await world.provider.send([malformed], inTime)).toEqual([
      refused('INVALID_ARGUMENT', false, { invalidTarget: true }),
    ])
    expect(await resultOf(world, { do: 'refuse', code: 'INVALID_ARGUMENT' })).toEqual(
      refused('INVALID_ARGUMENT', false),
    )
  })

  it('shouts about what only an operator can put right', async () => {
    const world = open()
    await resultOf(world, { do: 'refuse', code: 'SENDER_ID_MISMATCH' })
    expect(world.logLines().filter(({ level }) => level === 'error')).toMatchObject([
      { kind: 'SENDER_ID_MISMATCH', records: 1 },
    ])
  })

  it('refuses what is over 4 KB by itself, says why, and sends the rest', async () => {
    const { provider, fcm, logLines } = open()
    const large = sampleOutgoing({ notification: { body: '가'.repeat(1_400) } })
    const small = sampleOutgoing()
    const results = await provider.send([large, small], inTime)
    expect(results).toMatchObject([
      { kind: 'refused', code: 'PAYLOAD_TOO_LARGE', retryable: false },
      { kind: 'accepted' },
    ])
    expect(await fcm.report()).toMatchObject({ requests: 1 })
    expect(logLines().map(({ detail }) => detail)).toContainEqual(expect.stringContaining('of 4096 bytes'))
  })

  it('keeps tokens out of the log, whatever happens', async () => {
    const world = open()
    await resultOf(world, { do: 'refuse', code: 'UNREGISTERED' })
    await resultOf(world, { do: 'drop', accepted: true })
    await world.provider.send([sampleOutgoing({ notification: { body: 'x'.repeat(5_000) } })], inTime)
    expect(JSON.stringify(world.logLines())).not.toContain('token-')
  })
})

describe('what FCM says, over the SDK', () => {
  it.each([
    [{ do: 'refuse', code: 'INTERNAL' }, refused('INTERNAL', true)],
    [{ do: 'refuse', code: 'QUOTA_EXCEEDED' }, refused('QUOTA_EXCEEDED', true)],
    [{ do: 'refuse', code: 'UNREGISTERED' }, refused('UNREGISTERED', false, { invalidTarget: true })],
    [{ do: 'refuse', code: 'INVALID_ARGUMENT', field: 'message.data' }, refused('INVALID_ARGUMENT', false)],
    [{ do: 'refuse', code: 'SENDER_ID_MISMATCH' }, refused('SENDER_ID_MISMATCH', false)],
    [{ do: 'refuse', code: 'THIRD_PARTY_AUTH_ERROR' }, refused('THIRD_PARTY_AUTH_ERROR', false)],
  ] satisfies [Behaviour, object][])('%o', async (behaviour, expected) => {
    expect(await resultOf(open({ env: { FCM_TRANSPORT: 'sdk' } }), behaviour)).toEqual(expected)
  })

  it('invalidates a malformed token, which only a dry run can tell', async () => {
    const { provider } = open({ env: { FCM_TRANSPORT: 'sdk' } })
    const malformed = sampleOutgoing({ target: { address: 'not a token' } })
    expect(await provider.send([malformed], inTime)).toMatchObject([{ code: 'INVALID_ARGUMENT', invalidTarget: true }])
  })

  it('says at start that it may tell a person twice', async () => {
    const { logLines } = open({ env: { FCM_TRANSPORT: 'sdk' } })
    expect(logLines()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('at most once to a person does not hold'),
      }),
    )
  })

  it('does: a device gets a message again when the connection is lost after it', async () => {
    const { provider, fcm } = open({ env: { FCM_TRANSPORT: 'sdk' } })
    const outgoing = sampleOutgoing()
    await fcm.script({ do: 'drop', accepted: true, times: 1 }, outgoing.target.address)
    await provider.send([outgoing], inTime)
    expect((await fcm.countsOf(outgoing.target.address)).accepted).toBe(2)
  })
})

it.each(['IOS', 'ANDROID', 'WEB'] as const)('both transports send the same bytes to %s', async (platform) => {
  const now = () => Date.UTC(2026, 0, 15, 4)
  const bodies: unknown[] = []
  for (const FCM_TRANSPORT of ['http2', 'sdk']) {
    const { provider, fcm } = open({ env: { FCM_TRANSPORT, FCM_DATA_ONLY_TYPES: 'REMINDER' }, now })
    const target = { address: 'token-of-a-device', platform }
    for (const notificationType of ['PRICE_DROP', 'REMINDER'] as const) {
      const notification = { notificationType, notificationId: '0b2f6f7e-8f0a-5c1e-9a53-000000000001' }
      await provider.send([sampleOutgoing({ notification, target })], inTime)
    }
    bodies.push(await fcm.messages())
  }
  expect(bodies[0]).toHaveLength(2)
  expect(bodies[0]).toEqual(bodies[1])
})
