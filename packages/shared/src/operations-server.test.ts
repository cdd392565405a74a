import { afterEach, describe, expect, it } from 'vitest'
import { TransientError } from './errors.ts'
import { createMetrics } from './metrics.ts'
import type { OperationsRoute } from './operations-routes.ts'
import { createOperationsServer, type OperationsServer, type OperationsServerOptions } from './operations-server.ts'
import { captureLog } from './testing/capture-log.ts'

const servers: OperationsServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const up = async () => {}
const never = () => new Promise<void>(() => {})

const serve = async (options: Partial<OperationsServerOptions> = {}) => {
  const { log, lines } = captureLog()
  const server = createOperationsServer({
    host: '127.0.0.1',
    port: 0,
    registry: createMetrics({ service: 'bell' }),
    log,
    dependencies: {},
    stopping: new AbortController().signal,
    ...options,
  })
  servers.push(server)
  const { port } = await server.listen()
  const request = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const body = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return {
      code: response.status,
      type,
      body,
      json: type.includes('json') && body !== '' ? JSON.parse(body) : undefined,
    }
  }
  return { request, lines }
}

describe('/metrics', () => {
  it('gives the registry in the format of Prometheus', async () => {
    const { request } = await serve({ dependencies: { engine: up } })
    const { code, type, body } = await request('/metrics')
    expect(code).toBe(200)
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(body).toContain('process_cpu_seconds_total{service="bell"}')
    expect(body).toContain(
      'dropbell_dependency_probe_seconds_count{service="bell",dependency="engine",status="down"} 0',
    )
  })

  it('counts the probes of /readyz', async () => {
    const { request } = await serve({ dependencies: { engine: up } })
    await request('/readyz')
    expect((await request('/metrics')).body).toContain(
      'dropbell_dependency_probe_seconds_count{service="bell",dependency="engine",status="up"} 1',
    )
  })

  it('says nothing of why it fails, except to the log', async () => {
    const registry = createMetrics({ service: 'bell' })
    registry.metrics = () => Promise.reject(new Error('inner workings'))
    const { request, lines } = await serve({ registry })
    const { code, json } = await request('/metrics')
    expect([code, json]).toEqual([500, { status: 'failed' }])
    expect(lines()).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'inner workings' }) }),
    )
  })
})

describe('/healthz', () => {
  it('is live whatever the dependencies say', async () => {
    const { request } = await serve({ dependencies: { engine: () => Promise.reject(new Error('down')) } })
    expect(await request('/healthz')).toMatchObject({ code: 200, json: { status: 'live' } })
  })

  it('is dead once a part says that it does not work any more', async () => {
    let alive = true
    const { request } = await serve({ liveness: { loop: () => alive, other: () => true } })
    expect((await request('/healthz')).code).toBe(200)
    alive = false
    expect(await request('/healthz')).toMatchObject({
      code: 503,
      json: { status: 'dead', checks: { loop: false, other: true } },
    })
  })
})

describe('/readyz', () => {
  it('is ready when every dependency answers', async () => {
    const { request } = await serve({ dependencies: { one: up, two: up } })
    const { code, json } = await request('/readyz')
    expect(code).toBe(200)
    expect(json).toEqual({
      status: 'ready',
      dependencies: {
        one: { status: 'up', latencyMs: expect.any(Number) },
        two: { status: 'up', latencyMs: expect.any(Number) },
      },
    })
  })

  it('is not ready when one is down, and says which and why', async () => {
    const down = () => Promise.reject(new TransientError('ENGINE_UNAVAILABLE', 'The engine is not available: refused'))
    const { request } = await serve({ dependencies: { one: up, two: down } })
    expect(await request('/readyz')).toMatchObject({
      code: 503,
      json: {
        status: 'not-ready',
        dependencies: {
          one: { status: 'up' },
          two: { status: 'down', error: 'ENGINE_UNAVAILABLE: The engine is not available: refused' },
        },
      },
    })
  })

  it('answers in time when a probe hangs, with the true state of the others', async () => {
    const { request } = await serve({ dependencies: { stuck: never, fine: up }, probeTimeoutMs: 50 })
    const startedAt = performance.now()
    const { code, json } = await request('/readyz')
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(code).toBe(503)
    expect(json.dependencies).toMatchObject({
      stuck: { status: 'down', error: 'PROBE_TIMEOUT: no answer in 50 ms' },
      fine: { status: 'up' },
    })
  })

  it('probes side by side', async () => {
    let waiting = 0
    let release = () => {}
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const meet = () => {
      waiting += 1
      if (waiting === 2) release()
      return both
    }
    const { request } = await serve({ dependencies: { one: meet, two: meet }, probeTimeoutMs: 2_000 })
    expect((await request('/readyz')).code).toBe(200)
  })

  it('probes once for those who ask at the same time, and again for who asks later', async () => {
    let probes = 0
    const { request } = await serve({
      dependencies: {
        engine: async () => {
          probes += 1
          await new Promise((resolve) => setTimeout(resolve, 100))
        },
      },
    })
    await Promise.all([request('/readyz'), request('/readyz'), request('/readyz')])
    expect(probes).toBe(1)
    await request('/readyz')
    expect(probes).toBe(2)
  })

  it('shows no credentials and no words of strangers', async () => {
    const { request } = await serve({
      dependencies: {
        ours: () => Promise.reject(new TransientError('X', 'cannot reach redis://:hunter2@cache')),
        strangers: () => Promise.reject(new Error('password hunter2 is wrong')),
      },
    })
    const { body, json } = await request('/readyz')
    expect(body).not.toContain('hunter2')
    expect(json.dependencies.strangers.error).toBe('PROBE_FAILED')
  })

  it('is not ready as soon as stopping begins', async () => {
    const controller = new AbortController()
    const { request } = await serve({ dependencies: { engine: up }, stopping: controller.signal })
    expect((await request('/readyz')).code).toBe(200)
    controller.abort()
    expect(await request('/readyz')).toMatchObject({ code: 503, json: { status: 'stopping' } })
    expect((await request('/healthz')).code).toBe(200)
  })
})

describe('the operations server', () => {
  it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('answers GET only, not %s', async (method) => {
    const { request } = await serve()
    expect((await request('/metrics', { method })).code).toBe(404)
  })

  it('does not log each request', async () => {
    const { request, lines } = await serve()
    const before = lines().length
    await request('/healthz')
    expect(lines()).toHaveLength(before)
  })

  it('is gone after close', async () => {
    const { request } = await serve()
    await servers[0]?.close()
    await expect(request('/healthz')).rejects.toThrow()
  })
})

describe('a route of the service', () => {
  const token = 'open-sesame-open-sesame'
  const headers = { authorization: `Bearer ${token}` }
  const route: OperationsRoute = {
    method: 'POST',
    path: '/jobs/:id',
    token,
    handle: async ({ params, body }) => ({
      status: 202,
      body: { ...params, body: body ?? 'none' },
      headers: { 'x-a': 'b' },
    }),
  }

  it('answers whoever has the token', async () => {
    const { request } = await serve({ routes: [route] })
    expect(await request('/jobs/7', { method: 'POST', headers })).toMatchObject({
      code: 202,
      json: { id: '7', body: 'none' },
    })
    const withBody = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"a":1}' }
    expect((await request('/jobs/7', withBody)).json).toEqual({ id: '7', body: { a: 1 } })
  })

  it.each([undefined, 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token} `.repeat(2)])(
    'turns away whoever presents %j, without looking at the body',
    async (authorization) => {
      const { request } = await serve({ routes: [route] })
      const init = { method: 'POST', headers: { ...(authorization && { authorization }) }, body: 'x'.repeat(100_000) }
      expect(await request('/jobs/7', init)).toMatchObject({ code: 401, json: { status: 'unauthorized' } })
    },
  )

  it('refuses what is no JSON, and says nothing of it in the log', async () => {
    const { request, lines } = await serve({ routes: [route] })
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{' }
    expect(await request('/jobs/7', init)).toMatchObject({ code: 400, json: { status: 'refused' } })
    expect(lines().filter(({ level }) => level === 'error')).toEqual([])
  })
})
