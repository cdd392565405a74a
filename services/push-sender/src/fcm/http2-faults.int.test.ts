import { once } from 'node:events'
import { constants, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import type { FcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { closedPort, startProxy, startSilentPeer } from '@dropbell/shared/testing/tcp-peer'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Outgoing, SendResult } from '../provider.ts'
import { sampleOutgoing } from '../testing/sample-outgoing.ts'
import { type OpenFcm, openFcm } from './testing/open-fcm.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const open = (env: Record<string, string> = {}): OpenFcm => {
  // The breaker has tests of its own.
  const world = openFcm({ env: { FCM_TRANSPORT: 'http2', FCM_BREAKER_FAILURES: '10000', ...env } })
  cleanUps.push(world.close)
  return world
}

const batchOf = (count: number): Outgoing[] => Array.from({ length: count }, () => sampleOutgoing())

const tally = (results: readonly SendResult[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const result of results) {
    const name = result.kind === 'accepted' ? 'accepted' : `${result.kind} ${result.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** No promise is broken whatever was reported: nobody got it twice, and nobody whose message "was not taken" got it. */
const expectTruth = async (fcm: FcmControl, batch: readonly Outgoing[], results: readonly SendResult[]) => {
  const { tokens } = await fcm.report()
  for (const [index, { target }] of batch.entries()) {
    const { accepted = 0, requests = 0 } = tokens[target.address] ?? {}
    expect(requests).toBeLessThanOrEqual(1)
    if (results[index]?.kind === 'accepted') expect(accepted).toBe(1)
    if (['not-taken', 'refused', 'held-back'].includes(results[index]?.kind ?? '')) expect(accepted).toBe(0)
  }
}

const sendBatch = async ({ provider, fcm }: OpenFcm, batch: readonly Outgoing[], deadlineMs = 3_000) => {
  const startedAt = performance.now()
  const results = await provider.send(batch, { deadlineMs })
  const tookMs = performance.now() - startedAt
  await expectTruth(fcm, batch, results)
  return { results, tally: tally(results), tookMs }
}

describe('a connection that is lost', () => {
  it.each([true, false])(
    'leaves its messages unknown, sends none again (taken: %s), and is replaced',
    async (accepted) => {
      const world = open({ FCM_SESSIONS: '1' })
      const batch = batchOf(300)
      await world.fcm.script({ do: 'drop', accepted }, batch[50]?.target.address)
      const { tally, tookMs } = await sendBatch(world, batch)
      expect(tookMs).toBeLessThan(2_000)
      expect(Object.keys(tally).sort()).toEqual(['accepted', 'unknown CONNECTION_LOST'])
      expect(tally.accepted).toBeGreaterThanOrEqual(200)
      expect((await world.fcm.report()).connections.http2).toBe(2)
    },
  )

  it('takes none of the messages on other connections along', async () => {
    const world = open({ FCM_SESSIONS: '3', FCM_STREAMS_PER_SESSION: '10' })
    await world.fcm.script({ do: 'accept', latencyMs: 100 })
    const batch = batchOf(30)
    await world.fcm.script({ do: 'drop', accepted: false }, batch[0]?.target.address)
    const { tally } = await sendBatch(world, batch)
    expect(tally['unknown CONNECTION_LOST']).toBeLessThanOrEqual(10)
    expect(tally.accepted).toBeGreaterThanOrEqual(20)
  })

  it('is noticed by a ping when the peer is gone without a word, and replaced', async () => {
    const { hostname, port } = new URL(testEnv().FCM_ENDPOINT)
    const proxy = await startMutableProxy({ host: hostname, port: Number(port) })
    cleanUps.push(proxy.close)
    const world = open({
      FCM_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
      FCM_PING_INTERVAL_MS: '50',
      FCM_PING_TIMEOUT_MS: '100',
    })
    expect((await sendBatch(world, batchOf(1))).tally).toEqual({ accepted: 1 })
    proxy.muteAll()
    const events = async () => (await world.registry.metrics()).match(/sessions_total\{event="silent"\} (\d+)/)?.[1]
    await vi.waitUntil(async () => (await events()) === '1', { timeout: 5_000 })
    expect((await sendBatch(world, batchOf(5))).tally).toEqual({ accepted: 5 })
  })
})

describe('GOAWAY', () => {
  it.each([
    ['politely', constants.NGHTTP2_NO_ERROR],
    ['with ENHANCE_YOUR_CALM', constants.NGHTTP2_ENHANCE_YOUR_CALM],
  ])(
    'said %s: what is above the last stream was not taken, and the rest goes over a new connection',
    async (_, errorCode) => {
      const world = open({ FCM_SESSIONS: '1' })
      const batch = batchOf(300)
      await world.fcm.script({ do: 'go-away', accepted: false, errorCode }, batch[50]?.target.address)
      const { results, tally, tookMs } = await sendBatch(world, batch)
      expect(tookMs).toBeLessThan(2_000)
      expect(results[50]).toMatchObject({ kind: 'not-taken' })
      expect(results[299]).toMatchObject({ kind: 'accepted' })
      if (errorCode === constants.NGHTTP2_NO_ERROR) expect(Object.keys(tally)).not.toContain('unknown CONNECTION_LOST')
      expect((await world.fcm.report()).connections.http2).toBe(2)
    },
  )

  it('after a message that was taken costs nothing', async () => {
    const world = open({ FCM_SESSIONS: '1' })
    const [first, second] = batchOf(2) as [Outgoing, Outgoing]
    await world.fcm.script({ do: 'go-away', accepted: true }, first.target.address)
    expect((await sendBatch(world, [first])).tally).toEqual({ accepted: 1 })
    expect((await sendBatch(world, [second])).tally).toEqual({ accepted: 1 })
    expect((await world.fcm.report()).connections.http2).toBe(2)
  })
})

it('knows that a refused stream was not taken', async () => {
  const world = open()
  const batch = batchOf(3)
  await world.fcm.script({ do: 'refuse-stream' }, batch[1]?.target.address)
  expect((await sendBatch(world, batch)).tally).toEqual({ accepted: 2, 'not-taken REFUSED_STREAM': 1 })
})

describe('an FCM that never answers', () => {
  it('is given up at the deadline: what was written is unknown, what waited was not sent', async () => {
    const world = open({ FCM_SESSIONS: '1', FCM_STREAMS_PER_SESSION: '10' })
    await world.fcm.script({ do: 'silence', accepted: true })
    const { tally, tookMs } = await sendBatch(world, batchOf(25), 400)
    expect(tookMs).toBeLessThan(1_000)
    expect(tally).toEqual({ 'unknown DEADLINE_EXCEEDED': 10, 'not-taken NOT_SENT_IN_TIME': 15 })
    await world.fcm.reset()
    expect((await sendBatch(world, batchOf(20))).tally).toEqual({ accepted: 20 })
  })
})

describe('an FCM that cannot be reached', () => {
  it('took nothing when nobody listens, and is found when somebody does', async () => {
    const port = await closedPort()
    const world = open({ FCM_ENDPOINT: `http://127.0.0.1:${port}` })
    const results = await world.provider.send(batchOf(5), { deadlineMs: 3_000 })
    expect(tally(results)).toEqual({ 'not-taken CONNECTION_FAILED': 5 })
    const { hostname, port: real } = new URL(testEnv().FCM_ENDPOINT)
    const proxy = await startProxy({ host: hostname, port: Number(real) }, port)
    cleanUps.push(proxy.close)
    expect((await sendBatch(world, batchOf(5))).tally).toEqual({ accepted: 5 })
  })

  it('took nothing when it says nothing, not even hello', async () => {
    const peer = await startSilentPeer()
    cleanUps.push(peer.close)
    const env = { FCM_ENDPOINT: `http://127.0.0.1:${peer.port}`, FCM_CONNECT_TIMEOUT_MS: '200' }
    const { provider } = open(env)
    expect(tally(await provider.send(batchOf(2), { deadlineMs: 5_000 }))).toEqual({ 'not-taken CONNECTION_FAILED': 2 })
    expect(tally(await provider.send(batchOf(2), { deadlineMs: 100 }))).toEqual({ 'not-taken NOT_SENT_IN_TIME': 2 })
  })

  it('took nothing when it sends every connection away, which is not tried without end', async () => {
    let connections = 0
    const server = createHttp2Server()
    server.on('session', (session) => {
      connections++
      session.on('error', () => {})
      session.goaway(constants.NGHTTP2_NO_ERROR, 0)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUps.push(() => server.close())
    const { provider } = open({ FCM_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const results = await provider.send(batchOf(5), { deadlineMs: 5_000 })
    expect(results.map(({ kind }) => kind)).toEqual(Array(5).fill('not-taken'))
    expect(connections).toBeLessThanOrEqual(5)
  })

  it('took nothing when it speaks something else', async () => {
    const server = createServer((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUps.push(() => server.close())
    const { provider } = open({ FCM_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect(tally(await provider.send(batchOf(2), { deadlineMs: 3_000 }))).toEqual({ 'not-taken CONNECTION_FAILED': 2 })
  })
})

it('writes nothing after the deadline, even if the process slept through it', async () => {
  const world = open()
  await sendBatch(world, batchOf(1)) // there is a connection
  const batch = batchOf(50)
  const sending = world.provider.send(batch, { deadlineMs: 20 })
  const wakeAt = performance.now() + 60
  while (performance.now() < wakeAt); // no timer fires meanwhile
  const results = await sending
  expect(tally(results)).toEqual({ 'not-taken NOT_SENT_IN_TIME': 50 })
  await expectTruth(world.fcm, batch, results)
})

describe('connections', () => {
  it('are kept, and carry many messages at once', async () => {
    const world = open({ FCM_SESSIONS: '2' })
    for (let round = 0; round < 5; round++) {
      expect((await sendBatch(world, batchOf(500), 10_000)).tally).toEqual({ accepted: 500 })
    }
    expect((await world.fcm.report()).connections).toEqual({ http1: 0, http2: 2 })
  })

  it('serve several batches at once', async () => {
    const world = open()
    const batches = [batchOf(150), batchOf(150), batchOf(1)]
    const results = await Promise.all(batches.map((batch) => world.provider.send(batch, { deadlineMs: 10_000 })))
    expect(results.map(tally)).toEqual([{ accepted: 150 }, { accepted: 150 }, { accepted: 1 }])
  })
})

/** Passes everything on until it is told to pass nothing more on the connections there are. */
const startMutableProxy = async (target: { host: string; port: number }) => {
  const { connect } = await import('node:net')
  let generation = 0
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => {
    const own = generation
    const upstream = connect(target)
    for (const side of [socket, upstream]) {
      sockets.add(side)
      side.on('error', () => {})
    }
    socket.on('data', (data) => void (own === generation && upstream.write(data)))
    upstream.on('data', (data) => void (own === generation && socket.write(data)))
    socket.on('close', () => upstream.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    muteAll: () => {
      generation++
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
