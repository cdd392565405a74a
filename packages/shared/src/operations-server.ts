import fastify, { type FastifyError } from 'fastify'
import type { Registry } from 'prom-client'
import { createDependencyCheck } from './dependency-check.ts'
import type { Logger } from './log.ts'
import { addOperationsRoute, type OperationsRoute } from './operations-routes.ts'
import type { Probe } from './probe.ts'

export interface OperationsServerOptions {
  host: string
  port: number
  registry: Registry
  log: Logger
  /** What the service cannot work without, by the name shown in /readyz. */
  dependencies: Readonly<Record<string, Probe>>
  /** From then on the service is not ready, whatever its dependencies say. */
  stopping: AbortSignal
  /** Each says whether its part still works; one that does not makes a supervisor restart the process. */
  liveness?: Readonly<Record<string, () => boolean>>
  /** What an operator may do beside looking. */
  routes?: readonly OperationsRoute[]
  probeTimeoutMs?: number
}

export interface OperationsServer {
  /** Resolves to the address, whose port is the one the system chose if 0 was asked for. */
  listen(): Promise<{ host: string; port: number }>
  close(): Promise<void>
}

const mostBodyBytes = 16_384

/**
 * What machines ask a service: GET /metrics, /healthz and /readyz. None of these changes or reveals anything; routes that
 * do are the service's own, each behind a token.
 */
export const createOperationsServer = (options: OperationsServerOptions): OperationsServer => {
  const { host, port, registry, log, dependencies, stopping, liveness = {}, routes = [], probeTimeoutMs } = options
  const checkDependencies = createDependencyCheck({ registry, dependencies, timeoutMs: probeTimeoutMs })
  const app = fastify({ exposeHeadRoutes: false, bodyLimit: mostBodyBytes })

  app.setErrorHandler((err: FastifyError, _request, reply) => {
    // A request that is none: a body that is not JSON, or too long.
    const { statusCode = 500 } = err
    if (statusCode < 500) return reply.code(statusCode).send({ status: 'refused', reason: err.code })
    log.error({ err }, 'operations request failed')
    return reply.code(500).send({ status: 'failed' })
  })

  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))

  app.get('/healthz', async (_request, reply) => {
    const checks = Object.fromEntries(Object.entries(liveness).map(([name, isAlive]) => [name, isAlive()]))
    const alive = Object.values(checks).every(Boolean)
    return reply.code(alive ? 200 : 503).send({ status: alive ? 'live' : 'dead', checks })
  })

  app.get('/readyz', async (_request, reply) => {
    const states = await checkDependencies()
    const ready = Object.values(states).every(({ status }) => status === 'up')
    // Asked after the probes, which take a while: a shutdown may have begun meanwhile.
    const status = stopping.aborted ? 'stopping' : ready ? 'ready' : 'not-ready'
    return reply.code(status === 'ready' ? 200 : 503).send({ status, dependencies: states })
  })

  for (const route of routes) addOperationsRoute(app, route)

  return {
    listen: async () => {
      const address = { host, port: Number(new URL(await app.listen({ host, port })).port) }
      log.info({ ...address, dependencies: Object.keys(dependencies) }, 'operations server listening')
      return address
    },
    close: () => app.close(),
  }
}
