import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Environment } from './config.ts'
import { TransientError } from './errors.ts'
import { createMetrics } from './metrics.ts'
import { createOperationsServer } from './operations-server.ts'
import { captureLog } from './testing/capture-log.ts'
import { connectEngines } from './testing/connect-engines.ts'
import { closedPort, startProxy, startSilentPeer } from './testing/tcp-peer.ts'

type Engine = keyof ReturnType<typeof connectEngines>

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const connect = (env: Environment, probeTimeoutMs?: number) => {
  const { log, lines } = captureLog()
  const engines = connectEngines({ env, log, ...(probeTimeoutMs !== undefined && { probeTimeoutMs }) })
  for (const { close } of Object.values(engines)) cleanUps.push(close)
  return { engines, lines }
}

/** Where each engine is, and the environment that points to another place instead. */
const addressOf = (engine: Engine): { host: string; port: number } => {
  const env = testEnv()
  const url = { redis: env.REDIS_URL, elasticsearch: env.ELASTICSEARCH_URL, postgres: env.DATABASE_URL }
  const { hostname: host, port } = new URL(
    engine === 'kafka' ? `kafka://${env.KAFKA_BROKERS.split(',')[0]}` : url[engine],
  )
  return { host, port: Number(port) }
}

const moved = (url: string, port: number): string => {
  const copy = new URL(url)
  copy.hostname = '127.0.0.1'
  copy.port = String(port)
  return copy.href
}

const envAt = (port: number): Environment => ({
  KAFKA_BROKERS: `127.0.0.1:${port}`,
  REDIS_URL: moved(testEnv().REDIS_URL, port),
  ELASTICSEARCH_URL: moved(testEnv().ELASTICSEARCH_URL, port),
  DATABASE_URL: moved(testEnv().DATABASE_URL, port),
})

const outcomeOf = async (probe: () => Promise<void>) => {
  const startedAt = performance.now()
  const error = await probe().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, durationMs: performance.now() - startedAt }
}

const codes: Record<Engine, string> = {
  kafka: 'KAFKA_UNAVAILABLE',
  redis: 'REDIS_UNAVAILABLE',
  elasticsearch: 'ELASTICSEARCH_UNAVAILABLE',
  postgres: 'POSTGRES_UNAVAILABLE',
}

describe.each(Object.entries(codes) as [Engine, string][])('the probe of %s', (engine, code) => {
  it('is content with a running engine, again and again', async () => {
    const { probe } = connect({ ...testEnv() }).engines[engine]
    await probe()
    await Promise.all([probe(), probe()])
  })

  it('fails within its time when nobody listens', async () => {
    const { probe } = connect(envAt(await closedPort()), 1_000).engines[engine]
    const { error, durationMs } = await outcomeOf(probe)
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ code })
    expect(durationMs).toBeLessThan(1_500)
  })

  it('fails within its time when the engine takes the connection and does not answer', async () => {
    const peer = await startSilentPeer()
    cleanUps.push(peer.close)
    const { probe } = connect(envAt(peer.port), 500).engines[engine]
    const { error, durationMs } = await outcomeOf(probe)
    expect(error).toMatchObject({ code })
    expect(durationMs).toBeLessThan(1_000)
  })

  it('succeeds again once the engine can be reached', async () => {
    const port = await closedPort()
    const { probe } = connect(envAt(port), 1_000).engines[engine]
    expect((await outcomeOf(probe)).error).toMatchObject({ code })
    const proxy = await startProxy(addressOf(engine), port)
    cleanUps.push(proxy.close)
    await vi.waitUntil(async () => (await outcomeOf(probe)).error === undefined, { timeout: 10_000, interval: 100 })
  })

  it('writes no password and no error line for a failure it reports anyway', async () => {
    const { engines, lines } = connect(envAt(await closedPort()), 300)
    await outcomeOf(engines[engine].probe)
    expect(lines().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    const { password } = new URL(testEnv().DATABASE_URL)
    if (password !== '') expect(JSON.stringify(lines())).not.toContain(`:${password}@`)
  })
})

describe('/readyz', () => {
  const readiness = async (engines: ReturnType<typeof connectEngines>) => {
    const server = createOperationsServer({
      host: '127.0.0.1',
      port: 0,
      registry: createMetrics({ service: 'test' }),
      log: captureLog().log,
      dependencies: Object.fromEntries(Object.entries(engines).map(([name, { probe }]) => [name, probe])),
      stopping: new AbortController().signal,
    })
    cleanUps.push(server.close)
    const { port } = await server.listen()
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    return { code: response.status, body: await response.json() }
  }

  it('is ready when all engines run', async () => {
    const up = { status: 'up', latencyMs: expect.any(Number) }
    expect(await readiness(connect({ ...testEnv() }).engines)).toEqual({
      code: 200,
      body: { status: 'ready', dependencies: { kafka: up, redis: up, elasticsearch: up, postgres: up } },
    })
  })

  it('shows which engine is down', async () => {
    const unreachable = envAt(await closedPort())
    const env = { ...testEnv(), REDIS_URL: unreachable.REDIS_URL, KAFKA_BROKERS: unreachable.KAFKA_BROKERS }
    expect(await readiness(connect(env, 1_000).engines)).toMatchObject({
      code: 503,
      body: {
        status: 'not-ready',
        dependencies: {
          kafka: { status: 'down', error: expect.stringMatching(/^KAFKA_UNAVAILABLE: /) },
          redis: { status: 'down', error: expect.stringMatching(/^REDIS_UNAVAILABLE: /) },
          elasticsearch: { status: 'up' },
          postgres: { status: 'up' },
        },
      },
    })
  })
})

describe('closing', () => {
  it('leaves nothing open that would keep the process from ending', async () => {
    const script = fileURLToPath(new URL('./testing/probe-and-close.ts', import.meta.url))
    const child: ChildProcess = spawn(process.execPath, ['--import=tsx', script], {
      env: { PATH: process.env.PATH, ...testEnv() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    cleanUps.push(() => child.kill('SIGKILL'))
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    const exited = once(child, 'exit')
    await vi.waitUntil(() => output.includes('closed'), { timeout: 20_000 })
    const closedAt = performance.now()
    expect((await exited)[0]).toBe(0)
    expect(performance.now() - closedAt).toBeLessThan(2_000)
  })

  it('can be asked for before anything was connected', async () => {
    const { engines } = connect({ ...testEnv() })
    await Promise.all(Object.values(engines).map(({ close }) => close()))
  })

  it('ends in time while an engine does not answer', async () => {
    const peer = await startSilentPeer()
    cleanUps.push(peer.close)
    const { engines } = connect(envAt(peer.port), 300)
    await Promise.all(Object.values(engines).map(({ probe }) => outcomeOf(probe)))
    const startedAt = performance.now()
    await Promise.all(Object.values(engines).map(({ close }) => close()))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})
