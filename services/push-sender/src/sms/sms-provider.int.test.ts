import type { SmsBehaviour } from '@dropbell/local-stack/sms-simulator/control-client'
import type { Environment } from '@dropbell/shared/config'
import { closedPort, startSilentPeer } from '@dropbell/shared/testing/tcp-peer'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SendResult } from '../provider.ts'
import { describeProviderWithPeer } from '../testing/provider-contract.ts'
import { type OutgoingChanges, sampleOutgoing } from '../testing/sample-outgoing.ts'
import { newPhoneNumber, type OpenSms, openSms } from './testing/open-sms.ts'

describeProviderWithPeer('SMS', async () => {
  const { provider, gateway, close } = openSms({ SMS_MAX_CONNECTIONS: '20' })
  return {
    ...{ provider, close, newOutgoing: () => smsTo(newPhoneNumber()) },
    receivedBy: async (number) => (await gateway.countsOf(number)).accepted,
    silence: () => gateway.script({ do: 'silence', accepted: true }),
  }
})

const opened: OpenSms[] = []
const open = (env?: Environment): OpenSms => {
  const sms = openSms(env)
  opened.push(sms)
  return sms
}
afterEach(async () => {
  for (const sms of opened.splice(0)) await sms.close()
})

const inTime = { deadlineMs: 5_000 }
const smsTo = (address: string, notification: OutgoingChanges['notification'] = {}) =>
  sampleOutgoing({ notification, target: { address } })

const resultOf = async ({ provider, gateway }: OpenSms, behaviour: SmsBehaviour): Promise<SendResult> => {
  const number = newPhoneNumber()
  await gateway.script(behaviour, number)
  const [result] = await provider.send([smsTo(number)], inTime)
  expect((await gateway.countsOf(number)).requests).toBe(1)
  return result as SendResult
}

const refused = (code: string, retryable: boolean, rest: object = {}) => ({
  ...{ kind: 'refused', code, retryable, latencyMs: expect.any(Number) },
  ...rest,
})
const unknown = (code: string) => ({ kind: 'unknown', code, latencyMs: expect.any(Number) })

describe('what the SMS gateway says', () => {
  it.each([
    [{ do: 'refuse', status: 400 }, refused('HTTP_400', false)],
    [{ do: 'refuse', status: 422, retryAfter: '7' }, refused('HTTP_422', false)],
    [{ do: 'refuse', status: 429, retryAfter: '7' }, refused('HTTP_429', true, { retryAfterMs: 7_000 })],
    [{ do: 'refuse', status: 500 }, refused('HTTP_500', true)],
    [{ do: 'refuse', status: 503, body: '<html>' }, refused('HTTP_503', true)],
    [{ do: 'refuse', status: 307, location: '/accounts/other/messages' }, refused('HTTP_307', true)],
    [{ do: 'refuse', status: 502 }, unknown('GATEWAY_FAILED')],
    [{ do: 'refuse', status: 504 }, unknown('GATEWAY_FAILED')],
    [{ do: 'drop', accepted: true }, unknown('CONNECTION_LOST')],
    [{ do: 'drop', accepted: false }, unknown('CONNECTION_LOST')],
  ] satisfies [SmsBehaviour, object][])('%o', async (behaviour, expected) => {
    expect(await resultOf(open(), behaviour)).toEqual(expected)
  })

  it('is what the message is called from then on', async () => {
    const { provider, gateway } = open()
    const [result] = await provider.send([smsTo(newPhoneNumber())], inTime)
    expect(result).toMatchObject({ kind: 'accepted', providerId: (await gateway.messages())[0]?.id })
  })

  it('is heard by the operator when it is about our credentials', async () => {
    const world = open()
    expect(await resultOf(world, { do: 'refuse', status: 401 })).toEqual(refused('HTTP_401', true))
    expect(world.logLines().filter(({ level }) => level === 'error')).toMatchObject([
      { channel: 'SMS', kind: 'HTTP_401', records: 1 },
    ])
  })
})

describe('a text message', () => {
  it('has the title and the body, cut, and the same key whenever it is sent', async () => {
    const { provider, gateway } = open({ SMS_MAX_CHARACTERS: '20' })
    const outgoing = smsTo('+82 10-1234-5678', { title: '가격\r\n인하', body: '운동화가 12% 할인 중입니다, 오늘만!' })
    await provider.send([outgoing], inTime)
    const again = await provider.send([outgoing], inTime)
    expect(again).toMatchObject([{ kind: 'accepted' }])
    expect(await gateway.report()).toMatchObject({ requests: 2, accepted: 1 })
    expect(await gateway.messages('+821012345678')).toMatchObject([
      { text: '가격 인하\n운동화가 12% 할인 중…', idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ])
  })

  it('cannot break out of the request, and goes as the gateway wants it', async () => {
    const { provider, gateway } = open({
      SMS_CONTENT_TYPE: 'application/x-www-form-urlencoded',
      SMS_BODY_TEMPLATE: 'to={{to}}&text={{body}}&from=Dropbell',
      SMS_AUTH_HEADER: 'Bearer s3cret',
    })
    const number = newPhoneNumber()
    await provider.send([smsTo(number, { body: 'x&to=+1&text="}' })], inTime)
    expect(await gateway.messages()).toMatchObject([
      { to: number, text: 'x&to=+1&text="}', authorization: 'Bearer s3cret' },
    ])
  })

  it('is refused here if its address is no phone number', async () => {
    const { provider, gateway } = open()
    const results = await provider.send([smsTo('+82"}'), smsTo(newPhoneNumber())], inTime)
    expect(results).toMatchObject([
      { kind: 'refused', code: 'INVALID_ADDRESS', retryable: false },
      { kind: 'accepted' },
    ])
    expect(await gateway.report()).toMatchObject({ requests: 1 })
  })

  it('leaves neither number nor credentials in the log', async () => {
    const world = open({ SMS_AUTH_HEADER: 'Bearer s3cret' })
    const number = newPhoneNumber()
    for (const behaviour of [
      { do: 'refuse', status: 403 },
      { do: 'drop', accepted: true },
    ] satisfies SmsBehaviour[]) {
      await world.gateway.script(behaviour, number)
      await world.provider.send([smsTo(number)], inTime)
    }
    expect(world.logLines()).not.toEqual([])
    expect(JSON.stringify(world.logLines())).not.toMatch(new RegExp(`${number.slice(1)}|s3cret`))
  })
})

describe('a gateway that cannot be reached', () => {
  it('has not taken anything', async () => {
    const { provider } = open({ SMS_GATEWAY_URL: `http://127.0.0.1:${await closedPort()}/messages` })
    expect(await provider.send([smsTo(newPhoneNumber())], inTime)).toMatchObject([
      { kind: 'not-taken', code: 'CONNECTION_FAILED' },
    ])
  })

  it('has not taken anything over a TLS that never comes about', async () => {
    const peer = await startSilentPeer()
    const { provider } = open({
      SMS_GATEWAY_URL: `https://127.0.0.1:${peer.port}/messages`,
      SMS_CONNECT_TIMEOUT_MS: '100',
    })
    const results = await provider.send([smsTo(newPhoneNumber())], inTime)
    await peer.close()
    expect(results).toMatchObject([{ kind: 'not-taken', code: 'CONNECTION_FAILED' }])
  })

  it('opens the breaker, which one message closes again', async () => {
    const world = open({ SMS_BREAKER_FAILURES: '3', SMS_BREAKER_RESET_MS: '200' })
    await world.gateway.script({ do: 'refuse', status: 503, times: 3 })
    const batch = Array.from({ length: 3 }, () => smsTo(newPhoneNumber()))
    await world.provider.send(batch, inTime)
    expect(await world.provider.reserve(5, 'promotional')).toMatchObject({ granted: 0 })
    expect(await world.provider.send(batch, inTime)).toMatchObject(
      batch.map(() => ({ kind: 'held-back', code: 'BREAKER_OPEN' })),
    )
    await vi.waitUntil(async () => (await world.provider.reserve(5, 'promotional')).granted === 1, { timeout: 5_000 })
    await world.provider.send([smsTo(newPhoneNumber())], inTime)
    expect(await world.provider.reserve(5, 'promotional')).toEqual({ granted: 5, retryAfterMs: 0 })
    const metrics = await world.registry.metrics()
    expect(metrics).toContain('dropbell_provider_breaker_changes_total{channel="SMS",state="open"} 1')
    expect(metrics).toContain('dropbell_provider_failures_total{channel="SMS",code="HTTP_5XX"} 3')
  })
})

it('settles what there was no time for as not taken', async () => {
  const { provider, gateway } = open({ SMS_MAX_CONNECTIONS: '1' })
  await gateway.script({ do: 'silence', accepted: true })
  const results = await provider.send([smsTo(newPhoneNumber()), smsTo(newPhoneNumber())], { deadlineMs: 300 })
  expect(results).toMatchObject([
    { kind: 'unknown', code: 'DEADLINE_EXCEEDED' },
    { kind: 'not-taken', code: 'NOT_SENT_IN_TIME' },
  ])
})
