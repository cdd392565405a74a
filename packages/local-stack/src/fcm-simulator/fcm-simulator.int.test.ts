import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startIsolatedStack } from '../isolated-stack.ts'
import { testEnv } from '../testing/test-env.ts'
import { type Behaviour, createFcmControl, type FcmControl, type FcmErrorCode } from './control-client.ts'

let control: FcmControl
let session: ClientHttp2Session

beforeEach(() => {
  control = createFcmControl(testEnv().FCM_ENDPOINT, randomUUID())
  session = connect(testEnv().FCM_ENDPOINT)
  session.on('error', () => {}) // seen by the requests
})
afterEach(() => session.destroy())

const path = () => `/v1/projects/${control.project}/messages:send`
const bodyTo = (token: string) => JSON.stringify({ message: { token, data: { text: '안녕' } } })
const headers = { authorization: 'Bearer test' }

interface Seen {
  status?: number
  retryAfter?: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what it has to be.
  body?: any
  rstCode?: number
}

const overHttp2 = async (token: string): Promise<Seen> => {
  const stream = session.request({ ':method': 'POST', ':path': path(), ...headers })
  stream.on('error', () => {})
  const seen: Seen = {}
  let text = ''
  stream.on('response', (response) => {
    seen.status = response[':status'] as number
    seen.retryAfter = response['retry-after'] as string | undefined
  })
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  stream.end(bodyTo(token))
  await new Promise((resolve) => stream.once('close', resolve))
  return { ...seen, ...(text !== '' && { body: JSON.parse(text) }), rstCode: stream.rstCode }
}

const overHttp1 = async (token: string): Promise<Seen> => {
  const url = `${testEnv().FCM_ENDPOINT}${path()}`
  const response = await fetch(url, { method: 'POST', headers, body: bodyTo(token) })
  return { status: response.status, body: await response.json() }
}

const accepted = async (token: string): Promise<number> => (await control.countsOf(token)).accepted

describe.each([
  ['HTTP/2', overHttp2],
  ['HTTP/1.1', overHttp1],
])('the simulator over %s', (_, send) => {
  it('takes a message, names it and counts it for its token', async () => {
    const { status, body } = await send('device-1')
    expect({ status, body }).toEqual({
      status: 200,
      body: { name: expect.stringMatching(`^projects/${control.project}/messages/`) },
    })
    expect((await control.report()).tokens).toEqual({ 'device-1': { requests: 1, accepted: 1 } })
    expect(await control.messages('device-1')).toEqual([{ token: 'device-1', data: { text: '안녕' } }])
  })

  it.each<[FcmErrorCode, number, string]>([
    ['INVALID_ARGUMENT', 400, 'INVALID_ARGUMENT'],
    ['UNREGISTERED', 404, 'NOT_FOUND'],
    ['SENDER_ID_MISMATCH', 403, 'PERMISSION_DENIED'],
    ['QUOTA_EXCEEDED', 429, 'RESOURCE_EXHAUSTED'],
    ['UNAVAILABLE', 503, 'UNAVAILABLE'],
    ['INTERNAL', 500, 'INTERNAL'],
    ['THIRD_PARTY_AUTH_ERROR', 401, 'UNAUTHENTICATED'],
  ])('answers %s in its words, once if it is to be once', async (code, status, rpcStatus) => {
    await control.script({ do: 'refuse', code, times: 1 }, 'device-1')
    const answer = await send('device-1')
    expect(answer).toMatchObject({ status, body: { error: { code: status, status: rpcStatus } } })
    expect(answer.body.error.details[0]).toEqual({
      '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
      errorCode: code,
    })
    expect(await send('device-1')).toMatchObject({ status: 200 })
    expect(await control.countsOf('device-1')).toEqual({ requests: 2, accepted: 1 })
  })
})

describe('the faults of a peer', () => {
  const faulty = async (behaviour: Behaviour): Promise<Seen> => {
    await control.script(behaviour, 'device-1')
    return overHttp2('device-1')
  }

  it('sends Retry-After as it was told to', async () => {
    expect(await faulty({ do: 'refuse', code: 'UNAVAILABLE', retryAfter: '7' })).toMatchObject({ retryAfter: '7' })
  })

  it.each([true, false])('cuts the connection; the message was taken before: %s', async (taken) => {
    expect((await faulty({ do: 'drop', accepted: taken })).status).toBeUndefined()
    expect(await accepted('device-1')).toBe(taken ? 1 : 0)
  })

  it('says GOAWAY after a message that it took, and answers it', async () => {
    const goaway = once(session, 'goaway')
    expect(await faulty({ do: 'go-away', accepted: true })).toMatchObject({ status: 200 })
    expect((await goaway)[1]).toBe(1)
  })

  it('says GOAWAY before a message that it did not take, never before one that it took', async () => {
    await control.script({ do: 'accept', latencyMs: 200 }, 'slow-device')
    const slow = overHttp2('slow-device')
    await vi.waitUntil(async () => (await accepted('slow-device')) === 1, { timeout: 5_000 })
    expect(await faulty({ do: 'go-away', accepted: false })).toMatchObject({
      rstCode: constants.NGHTTP2_REFUSED_STREAM,
    })
    expect(await slow).toMatchObject({ status: 200 })
    expect(await accepted('device-1')).toBe(0)
  })

  it('refuses a stream', async () => {
    expect(await faulty({ do: 'refuse-stream' })).toMatchObject({ rstCode: constants.NGHTTP2_REFUSED_STREAM })
    expect(await accepted('device-1')).toBe(0)
  })

  it('keeps silent, having taken the message, while others on the connection are answered', async () => {
    await control.script({ do: 'silence', accepted: true }, 'device-1')
    const silent = overHttp2('device-1').then(() => 'ended')
    expect(await overHttp2('device-2')).toMatchObject({ status: 200 })
    expect(await accepted('device-1')).toBe(1)
    session.destroy()
    await silent
  })

  it('does to all what was scripted for all, but what was scripted for one comes first', async () => {
    await control.script({ do: 'refuse', code: 'INTERNAL' })
    await control.script([{ do: 'accept', times: 1 }], 'device-1')
    const statuses = [await overHttp2('device-1'), await overHttp2('device-1'), await overHttp2('device-2')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 500, 500])
    await control.reset()
    expect(await overHttp2('device-1')).toMatchObject({ status: 200 })
    expect(await control.report()).toMatchObject({ requests: 1, accepted: 1 })
  })

  it('refuses a script that it does not understand', async () => {
    await expect(control.script({ do: 'explode' } as unknown as Behaviour)).rejects.toThrow('400')
  })
})

it('counts 20,000 messages to 20,000 devices', async () => {
  const total = 20_000
  let next = 0
  const sendOn = async (): Promise<void> => {
    while (next < total) await overHttp2(`device-${next++}`)
  }
  await Promise.all(Array.from({ length: 100 }, sendOn))
  const report = await control.report()
  expect(report).toMatchObject({ requests: total, accepted: total, answers: { 200: total }, connections: { http2: 1 } })
  expect(Object.keys(report.tokens)).toHaveLength(total)
  expect(await control.messages()).toHaveLength(1_000)
})

it('comes back on its port after kill -9, having forgotten everything', async () => {
  const stack = await startIsolatedStack({ engines: ['fcm-simulator'] })
  try {
    const own = createFcmControl(stack.env().FCM_ENDPOINT as string, 'p')
    await own.script({ do: 'refuse', code: 'INTERNAL' })
    await stack.engine('fcm-simulator').kill()
    await expect(own.report()).rejects.toThrow()
    await stack.engine('fcm-simulator').start()
    expect(await own.report()).toMatchObject({ requests: 0 })
  } finally {
    await stack.reset()
  }
})
