import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GateAnswer } from './gate.ts'
import { startAnswerSwallower } from './testing/answer-swallower.ts'
import { type OpenGate, openGate, sampleSlot } from './testing/open-gate.ts'

let stack: Awaited<ReturnType<typeof startIsolatedStack>>
beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['redis'] })
})
afterAll(() => stack.reset())

const cleanUps: (() => unknown)[] = []
let opened: OpenGate
beforeEach(() => {
  opened = open()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const open = (env: Record<string, string> = {}, prefix?: string): OpenGate => {
  const gate = openGate({ ...stack.env(), ...env }, prefix)
  cleanUps.push(gate.close)
  return gate
}

const prefixOf = ({ keys }: OpenGate): string => keys.memory.slice(0, -':gate-memory'.length)

/** Changes a setting of the server until the end of the test. */
const configure = async (name: string, value: string, before: string): Promise<void> => {
  await opened.observer.config('SET', name, value)
  cleanUps.push(async () => {
    await opened.observer.config('SET', name, before)
    await untilRewritten()
  })
}

/** Redis does not let itself be stopped while it writes its first append-only file. */
const untilRewritten = (): Promise<boolean> =>
  vi.waitUntil(
    async () =>
      /^aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r$/m.test(await opened.observer.info('persistence')),
    { timeout: 10_000, interval: 20 },
  )

/** With `appendfsync everysec` an answer may come up to two seconds before its write is in the file. */
const untilWrittenDown = (): Promise<boolean> =>
  vi.waitUntil(async () => /^aof_buffer_length:0\r$/m.test(await opened.observer.info('persistence')), {
    timeout: 5_000,
    interval: 20,
  })

/** Cuts all other connections, so that they have to be made anew. */
const cutConnections = (): Promise<unknown> => opened.observer.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')

const failureOf = async (work: Promise<unknown>): Promise<{ failure: unknown; tookMs: number }> => {
  const startedAt = performance.now()
  const failure = await work.then(
    (value) => expect.fail(`it should have failed, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  return { failure, tookMs: performance.now() - startedAt }
}

const expectBlocked = async ({ gate }: OpenGate, code: string): Promise<void> => {
  const { failure, tookMs } = await failureOf(gate.admit([sampleSlot]))
  expect(failure).toBeInstanceOf(TransientError)
  expect(failure).toMatchObject({ code, dependency: 'redis' })
  expect(tookMs).toBeLessThan(1_000)
}

const untilAnswered = ({ gate }: OpenGate): Promise<GateAnswer[]> =>
  vi.waitFor(() => gate.admit([sampleSlot]), { timeout: 10_000, interval: 20 })

const dayCount = ({ observer, keys }: OpenGate): Promise<string | null> =>
  observer.get(keys.daily(sampleSlot.userId, sampleSlot.date))

describe('a Redis that does not answer', () => {
  it('blocks at once when it was killed, and is asked again when it is back, with what it knew', async () => {
    await opened.gate.admit([sampleSlot])
    await untilWrittenDown()
    await stack.engine('redis').kill()
    await expectBlocked(opened, 'REDIS_UNAVAILABLE')
    await expectBlocked(opened, 'REDIS_UNAVAILABLE')
    await expect(opened.redis.probe()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' })
    await stack.engine('redis').start()
    expect(await untilAnswered(opened)).toEqual([{ kind: 'held' }])
    await opened.redis.probe()
    expect(await dayCount(opened)).toBe('1')
  })

  it('blocks in time while it is frozen, and has counted once when it wakes up', async () => {
    await opened.redis.start()
    stack.engine('redis').freeze()
    cleanUps.push(() => stack.engine('redis').thaw())
    await expectBlocked(opened, 'REDIS_UNAVAILABLE')
    await expectBlocked(opened, 'REDIS_UNAVAILABLE')
    stack.engine('redis').thaw()
    await untilAnswered(opened)
    expect(await dayCount(opened)).toBe('1')
  })

  it('blocks in time when it is frozen from the start', async () => {
    stack.engine('redis').freeze()
    cleanUps.push(() => stack.engine('redis').thaw())
    await expectBlocked(opened, 'REDIS_UNAVAILABLE')
    stack.engine('redis').thaw()
    await untilAnswered(opened)
  })

  it('fails a start that finds nobody, but not for good', async () => {
    const nowhere = open({ REDIS_URL: `redis://127.0.0.1:${await closedPort()}` })
    const { failure } = await failureOf(nowhere.redis.start())
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({ code: 'REDIS_UNAVAILABLE', dependency: 'redis' })
  })
})

describe('a connection that is lost', () => {
  const openViaProxy = async () => {
    const { hostname: host, port } = new URL(stack.env().REDIS_URL ?? '')
    const proxy = await startAnswerSwallower({ host, port: Number(port) })
    cleanUps.push(proxy.close)
    const viaProxy = open({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
    await viaProxy.redis.start()
    return { proxy, viaProxy }
  }

  it('is made anew when it has been silent for a second', async () => {
    const { proxy, viaProxy } = await openViaProxy()
    proxy.goSilent()
    await expectBlocked(viaProxy, 'REDIS_UNAVAILABLE')
    await vi.waitFor(() => viaProxy.gate.admit([sampleSlot]), { timeout: 5_000, interval: 20 })
  })

  it('in the middle of a page admits nobody, and the retry admits everybody and counts nobody twice', async () => {
    const { proxy, viaProxy } = await openViaProxy()
    const page = Array.from({ length: 1_000 }, (_, n) => ({ ...sampleSlot, userId: `u-${n}` }))
    proxy.swallowAfter(2)
    expect((await failureOf(viaProxy.gate.admit(page))).failure).toBeInstanceOf(TransientError)
    const answers = await vi.waitFor(() => viaProxy.gate.admit(page), { timeout: 10_000, interval: 20 })
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['held', 'admitted']))
    const counts = await opened.observer.mget(page.map(({ userId }) => viaProxy.keys.daily(userId, sampleSlot.date)))
    expect(new Set(counts)).toEqual(new Set(['1']))
  })

  it('while the script runs has run it once, not again by itself, and the retry finds its own slot', async () => {
    const { proxy, viaProxy } = await openViaProxy()
    await viaProxy.observer.config('RESETSTAT')
    proxy.swallowAfter(0)
    await expectBlocked(viaProxy, 'REDIS_UNAVAILABLE')
    await vi.waitFor(() => viaProxy.redis.probe(), { timeout: 10_000, interval: 20 })
    expect(await opened.observer.info('commandstats')).toMatch(/^cmdstat_eval:calls=1,/m)
    expect(await dayCount(viaProxy)).toBe('1')
    expect(await viaProxy.gate.admit([sampleSlot])).toEqual([{ kind: 'held' }])
    expect(await dayCount(viaProxy)).toBe('1')
  })
})

describe('a Redis that cannot write', () => {
  it('blocks while it is a replica, on the open connection too', async () => {
    await opened.redis.start()
    await opened.observer.replicaof('127.0.0.1', await closedPort())
    cleanUps.push(() => opened.observer.replicaof('NO', 'ONE'))
    await expectBlocked(opened, 'REDIS_REFUSED')
    await opened.observer.replicaof('NO', 'ONE')
    expect(await untilAnswered(opened)).toEqual([{ kind: 'admitted', dayCount: 1 }])
  })

  it('blocks while its memory is full, and leaves nothing half written', async () => {
    await opened.redis.start()
    await configure('maxmemory', '1', '0')
    await expectBlocked(opened, 'REDIS_REFUSED')
    expect(await opened.observer.keys(`${prefixOf(opened)}:{*`)).toEqual([])
    await opened.observer.config('SET', 'maxmemory', '0')
    expect(await untilAnswered(opened)).toEqual([{ kind: 'admitted', dayCount: 1 }])
  })
})

describe('a Redis that may forget', () => {
  it.each([
    ['appendonly', 'no', 'yes', /appendonly yes/],
    ['maxmemory-policy', 'allkeys-lru', 'noeviction', /noeviction/],
  ])('is refused at the start: %s %s', async (name, value, before, reason) => {
    await configure(name, value, before)
    const { failure } = await failureOf(opened.redis.start())
    expect(failure).toBeInstanceOf(PermanentError)
    expect(failure).toMatchObject({ code: 'GATE_REDIS_UNSAFE', message: expect.stringMatching(reason) })
  })

  it('is refused at the start when it is a replica', async () => {
    await opened.observer.replicaof('127.0.0.1', await closedPort())
    cleanUps.push(() => opened.observer.replicaof('NO', 'ONE'))
    await expect(opened.redis.start()).rejects.toMatchObject({ name: 'PermanentError', code: 'GATE_REDIS_UNSAFE' })
  })

  it('is refused at the start when it does not let us look', async () => {
    await opened.observer.call('ACL', 'SETUSER', 'blind', 'on', '>pass', '~*', '+@all', '-info')
    cleanUps.push(() => opened.observer.call('ACL', 'DELUSER', 'blind'))
    vi.spyOn(console, 'warn').mockImplementation(() => {}) // ioredis says so too
    const credentials = { REDIS_USERNAME: 'blind', REDIS_PASSWORD: 'pass' }
    await expect(open(credentials).redis.start()).rejects.toThrow(/refuses INFO; GATE_REDIS_CHECK=off/)
    await open({ ...credentials, GATE_REDIS_CHECK: 'off' }).redis.start()
  })

  it('blocks, but fails nothing for good, when it turns out later', async () => {
    await opened.redis.start()
    await configure('maxmemory-policy', 'allkeys-lru', 'noeviction')
    await cutConnections()
    await vi.waitFor(() => expectBlocked(opened, 'GATE_REDIS_UNSAFE'), { timeout: 10_000, interval: 20 })
    await expect(opened.redis.probe()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' })
    await opened.observer.config('SET', 'maxmemory-policy', 'noeviction')
    await untilAnswered(opened)
  })

  it('blocks after it came back without its memory, until the service is started again', async () => {
    await opened.gate.admit([sampleSlot])
    await opened.observer.flushall()
    await cutConnections()
    await vi.waitFor(() => expectBlocked(opened, 'GATE_REDIS_UNSAFE'), { timeout: 10_000, interval: 20 })
    const restarted = open({}, prefixOf(opened))
    await restarted.redis.start()
    expect(await restarted.gate.admit([sampleSlot])).toEqual([{ kind: 'admitted', dayCount: 1 }])
    await expectBlocked(opened, 'GATE_REDIS_UNSAFE')
  })

  it('is used all the same, with a loud line, by whoever asks for it', async () => {
    await configure('appendonly', 'no', 'yes')
    const careless = open({ GATE_REDIS_CHECK: 'off' })
    await careless.redis.start()
    expect(await careless.gate.admit([sampleSlot])).toEqual([{ kind: 'admitted', dayCount: 1 }])
    expect(careless.logLines()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('GATE_REDIS_CHECK is off') }),
    )
  })
})
