import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { jsonAnswer } from './answer.ts'
import { answerSend } from './answer-send.ts'
import { serveBothProtocols } from './both-protocols.ts'
import { answerControl, type Projects, projectOf } from './control-routes.ts'
import type { Exchange } from './exchange.ts'
import { createHttp1Side } from './http1-exchange.ts'
import { createHttp2Side } from './http2-exchange.ts'

export interface SimulatorOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export interface RunningSimulator {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Firebase Cloud Messaging as far as a sender sees it: the HTTP v1 API over HTTP/2 and HTTP/1.1 without TLS, its checks
 * and error bodies, and every way in which a peer can go wrong, on command. Nothing reaches a device; what would have is
 * counted. It forgets everything when it ends.
 */
export const startSimulator = async ({ host, port }: SimulatorOptions): Promise<RunningSimulator> => {
  const projects: Projects = new Map()
  const handle = (exchange: Exchange): void => {
    const projectId = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(exchange.path)?.[1]
    if (exchange.path.startsWith('/control/')) exchange.respond(answerControl(exchange, projects))
    else if (projectId === undefined || exchange.method !== 'POST') exchange.respond(notFound)
    else answerSend(exchange, projectId, projectOf(projects, projectId))
  }
  const server = serveBothProtocols(createHttp1Side(handle), createHttp2Side(handle))
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.dropAll()
      await closed
    },
  }
}

const notFound = jsonAnswer(404, { error: { code: 404, message: 'Not Found', status: 'NOT_FOUND' } })
