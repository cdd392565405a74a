import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ControlRequest } from './control-routes.ts'

export interface HttpExchange extends ControlRequest {
  readonly headers: IncomingMessage['headers']
  respond(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void
  /** Cuts the connection. */
  drop(): void
}

/** Far above what a message needs, far below what would hurt. */
const maxBodyLength = 1_000_000

export const createHttpSide = (handle: (exchange: HttpExchange) => void): Server =>
  createServer({ keepAliveTimeout: 60_000 }, (request: IncomingMessage, response: ServerResponse) => {
    const drop = () => request.socket.resetAndDestroy()
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
      if (body.length > maxBodyLength) drop()
    })
    request.on('end', () =>
      handle({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        respond: (status, answer, headers = {}) =>
          response
            .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
            .end(typeof answer === 'string' ? answer : JSON.stringify(answer)),
        drop,
      }),
    )
  })
