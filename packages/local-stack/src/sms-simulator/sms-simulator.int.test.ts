import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testEnv } from '../testing/test-env.ts'
import { createSmsControl, type SmsBehaviour, type SmsControl, smsGatewayUrl } from './control-client.ts'

let control: SmsControl
beforeEach(() => {
  control = createSmsControl(testEnv().SMS_GATEWAY_URL, randomUUID())
})

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(smsGatewayUrl(testEnv().SMS_GATEWAY_URL, control.account), {
    ...{ method: 'POST', body, redirect: 'manual' },
    headers: { 'content-type': 'application/json', ...headers },
  })
const send = (to: string, headers?: Record<string, string>) => post(JSON.stringify({ to, text: '안녕' }), headers)

describe('the SMS simulator', () => {
  it('takes a message, names it and counts it for its number', async () => {
    const answer = await send('+821', { authorization: 'Bearer x', 'idempotency-key': 'k' })
    expect(answer.status).toBe(202)
    const { id } = (await answer.json()) as { id: string }
    expect(await control.messages('+821')).toMatchObject([
      { id, to: '+821', text: '안녕', idempotencyKey: 'k', authorization: 'Bearer x' },
    ])
    expect(await control.countsOf('+821')).toEqual({ requests: 1, accepted: 1 })
    expect(await control.countsOf('+822')).toEqual({ requests: 0, accepted: 0 })
  })

  it('takes a form too, and refuses what is no message', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post('to=%2B821&text=a+b', form)).status).toBe(202)
    expect(await control.messages()).toMatchObject([{ to: '+821', text: 'a b' }])
    for (const body of ['', '{', '{"to":"+821"}']) expect((await post(body)).status).toBe(400)
  })

  it('answers a key that it knows as before, and delivers nothing again', async () => {
    const answers = [await send('+821', { 'idempotency-key': 'k' }), await send('+821', { 'idempotency-key': 'k' })]
    const [first, second] = await Promise.all(answers.map((answer) => answer.json()))
    expect(second).toEqual(first)
    expect(await control.countsOf('+821')).toEqual({ requests: 2, accepted: 1 })
  })

  it('refuses with what it is told to, once if it is to be once', async () => {
    await control.script({ do: 'refuse', status: 429, retryAfter: '7', body: 'slow down', times: 1 }, '+821')
    const answer = await send('+821')
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([429, '7', 'slow down'])
    expect((await send('+821')).status).toBe(202)
  })

  it.each([true, false])('cuts the connection; the message was taken before: %s', async (accepted) => {
    await control.script({ do: 'drop', accepted })
    await expect(send('+821')).rejects.toThrow()
    expect(await control.countsOf('+821')).toEqual({ requests: 1, accepted: accepted ? 1 : 0 })
  })

  it('does to all what was scripted for all, but what was scripted for one comes first', async () => {
    await control.script({ do: 'refuse', status: 500 })
    await control.script({ do: 'accept', times: 1 }, '+821')
    const statuses = [await send('+821'), await send('+821'), await send('+822')].map(({ status }) => status)
    expect(statuses).toEqual([202, 500, 500])
    await control.reset()
    expect((await send('+821')).status).toBe(202)
    expect(await control.report()).toMatchObject({ requests: 1, accepted: 1 })
  })

  it('refuses a script that it does not understand', async () => {
    await expect(control.script({ do: 'explode' } as unknown as SmsBehaviour)).rejects.toThrow('400')
  })
})
