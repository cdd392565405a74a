import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Connection, HandleExchange } from './exchange.ts'
import { tooLong } from './too-long.ts'

export const createHttp1Side = (handle: HandleExchange): Server => {
  const connections = new WeakMap<object, Connection>()
  const connectionOf = (socket: object): Connection => {
    const known = connections.get(socket) ?? { protocol: 'http1' }
    connections.set(socket, known)
    return known
  }
  return createServer({ keepAliveTimeout: 60_000 }, (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const drop = () => socket.resetAndDestroy()
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
      if (tooLong(body)) drop()
    })
    request.on('end', () =>
      handle({
        method: request.method ?? '',
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body,
        connection: connectionOf(socket),
        respond: (answer) => response.writeHead(answer.status, answer.headers).end(answer.body),
        accept: () => {},
        drop,
        goAway: ({ accepted }) => {
          if (accepted) response.setHeader('connection', 'close')
          else drop()
        },
        refuseStream: drop,
      }),
    )
  })
}
